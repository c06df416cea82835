/** plugin/intel-scan.cjs: a worker thread that looks through files, and can be ended when an expression never ends. */
import { parentPort } from 'node:worker_threads';
import { type ScanRequest, scan } from './scan.ts';

parentPort?.on('message', (request: ScanRequest) => {
  parentPort?.postMessage(scan(request));
});
