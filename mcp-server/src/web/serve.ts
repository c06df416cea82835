/** Starts and stops the dashboard's server, on this machine's own address only. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Edge } from '../session/edge.ts';
import { dashboardApp, type PageFiles } from './app.ts';
import type { StartCode } from './code.ts';

export interface Dashboard {
  url: string;
  port: number;
  close: () => Promise<void>;
}

export interface ServeOptions {
  root: string;
  edge: Edge;
  page: PageFiles;
  code: StartCode | null;
  /** 0: any that is free. */
  port: number;
}

/** @throws the system's error when the port is taken */
export async function serveDashboard({ port, ...options }: ServeOptions): Promise<Dashboard> {
  const over = new AbortController();
  let listening = 0;
  const app = dashboardApp({ ...options, port: () => listening, over: over.signal });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  listening = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${listening}/`,
    port: listening,
    close: async () => {
      over.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
