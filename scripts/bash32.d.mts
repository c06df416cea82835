export function findBash4(file: string, text: string): string[];
export function bashFiles(): string[];
