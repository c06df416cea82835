/** Waiting, but not longer than somebody has patience for. */

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** @param ms Infinity waits to the end; what the work throws is thrown */
export async function waitFor(work: Promise<unknown>, ms: number): Promise<void> {
  if (ms === Number.POSITIVE_INFINITY) {
    await work;
    return;
  }
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
