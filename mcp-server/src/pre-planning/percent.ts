/** A confidence of 0 to 1 as people read it. Cut, not rounded: what is below a threshold must not look as if it met it. */
export const percent = (confidence: number): number => Math.floor(confidence * 1000 + 1e-9) / 10;
