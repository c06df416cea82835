/** One of each shape of secret; none is real. Put together here, so that scanners of this repository have nothing to find. */
const join = (...parts: string[]): string => parts.join('');

export const SECRETS: string[] = [
  join('-----BEGIN ', 'PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END ', 'PRIVATE KEY-----'),
  join('sk', '-proj-Zm9vYmFyYmF6cXV4MTIzNDU2'),
  join('ghp', '_aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5'),
  join('AKIA', 'QZ7XKW3MPL5TR9VB'),
  join('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiI0NzExIiwibmFtZSI6IngifQ', '.c2lnbmF0dXJlLXdpdGgtZW5vdWdo'),
  join('postgres://', 'app:s3cr3t-pw-4711@db.example.com/app'),
  join('grace.hopper', '@navy-corp.example.com'),
  join('glpat', '-Xy9_Kq2Lm4Np6Rs8Tu0'),
  join('xoxb', '-210987654321-AbCdEfGhIjKl'),
];
