/**
 * Who started this process. The host marks whatever its tools run with CLAUDECODE; a server that the host itself started
 * has no such ancestor. So a second server, or a second client, that the model starts from a shell is told apart, and is
 * not believed when it reports what the user typed or what a tool did.
 */
import fs from 'node:fs';

const MARK = /(?:^|\0)CLAUDECODE=[^\0]/;

/** Chains of processes are short; a longer one is a loop of our reading. */
const MAX_GENERATIONS = 64;

/** Shells, and what adopts orphans: the host starts its servers itself and lives as long as they do. */
const NO_HOST = /^(?:(?:ba|da|z|fi|k|a)?sh|systemd|init|tini|dumb-init|docker-init|launchd)$/;

/** The parent of a process, its name, and whether its environment is marked; null where the system does not tell. */
export type Lookup = (pid: number) => { parent: number; name: string; marked: boolean } | null;

/** Linux keeps both under /proc. The environment is the one at its start: a later `unset` does not change it. */
export const fromProc: Lookup = (pid) => {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything; what follows the last bracket is fields.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return { parent, name, marked: MARK.test(fs.readFileSync(`/proc/${pid}/environ`, 'latin1')) };
  } catch {
    return null;
  }
};

/** Whether a tool of the host is among the ancestors of this process. Started from a shell is what a person's command is. */
export const belowTool = (parent: number = process.ppid, lookup: Lookup = fromProc): boolean => climb(parent, lookup, false);

/**
 * Whether a tool of the host is among the ancestors of this process, from its parent upwards, or a shell its parent.
 * Where the system does not tell, nobody is accused: the guards against starting a server from a shell still stand.
 */
export const startedByTool = (parent: number = process.ppid, lookup: Lookup = fromProc): boolean => climb(parent, lookup, true);

function climb(parent: number, lookup: Lookup, shellToo: boolean): boolean {
  let pid = parent;
  for (let generation = 0; pid > 0 && generation < MAX_GENERATIONS; generation++) {
    const found = lookup(pid);
    if (!found) return false;
    if (found.marked || (shellToo && generation === 0 && NO_HOST.test(found.name))) return true;
    pid = found.parent;
  }
  return false;
}
