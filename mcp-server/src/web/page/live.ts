/** The stream of changes; it comes back by itself when the server does. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Tick } from '../view.ts';

export type Connection = 'connecting' | 'live' | 'lost';

const AGAIN_MS = 2000;

/** @param session null: whichever is active */
export function useLive(session: string | null, onTick: (tick: Tick) => void): Connection {
  const [connection, setConnection] = useState<Connection>('connecting');
  const tell = useRef(onTick);
  tell.current = onTick;
  useEffect(() => {
    let source: EventSource;
    let timer = 0;
    const open = () => {
      source = new EventSource(session === null ? '/api/live' : `/api/live?session=${encodeURIComponent(session)}`);
      source.addEventListener('tick', (event) => {
        setConnection('live');
        tell.current(JSON.parse((event as MessageEvent<string>).data) as Tick);
      });
      source.addEventListener('error', () => {
        setConnection('lost');
        if (source.readyState !== EventSource.CLOSED) return; // the browser tries again itself
        timer = setTimeout(open, AGAIN_MS);
      });
    };
    open();
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [session]);
  return connection;
}
