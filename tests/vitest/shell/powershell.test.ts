import { expect, test } from 'vitest';
import { analyzePowerShell, analyzeShell } from '../../../mcp-server/src/guards/shell/analyze.ts';
import { CONTEXT } from './world.ts';

function targets(command: string): (string | null)[] {
  return analyzePowerShell(command, CONTEXT).writes.map((write) => write.target);
}

test.each([
  ['Set-Content -Path a.txt -Value "x > y"', ['a.txt']],
  ['Add-Content src\\a.js "x"', ['src/a.js']],
  ['Get-Date | Out-File -FilePath log.txt -Append', ['log.txt']],
  ['New-Item -ItemType File src/new.js', ['src/new.js']],
  ['New-Item -Path src/d -ItemType Directory', ['src/d']],
  ['Remove-Item -Recurse -Force src', ['src']],
  ['Move-Item a.txt /tmp/b.txt', ['a.txt']],
  ['Copy-Item /tmp/x -Destination src', ['src']],
  ['Copy-Item /tmp/x src/y', ['src/y']],
  ['Rename-Item a.txt b.txt', ['a.txt']],
  ['Clear-Content README.md', ['README.md']],
  ['"x" > out.txt', ['out.txt']],
  ['Get-Content a | Sort-Object >> $PWD/out.txt', ['/home/dev/app/out.txt']],
  ['cd src; del a.js', ['a.js']],
  ['if (Test-Path a) { Remove-Item a }', ['a']],
])('%s writes', (command, expected) => {
  expect(targets(command)).toEqual(expected);
});

test.each([
  'Get-Content a.txt | Where-Object { $_ -gt 3 }',
  'Write-Output "a > b"',
  "Select-String -Pattern '>' -Path *.js",
  'Set-Content -Path $env:TEMP/a.txt x',
  'Copy-Item src /tmp/copy -Recurse',
  'npm test 2>&1 | Out-Null',
  'Get-Process > $null',
  'Remove-Item a.txt -WhatIf',
  '# Remove-Item a.txt',
  'Get-ChildItem -Recurse | ForEach-Object { $_.Name }',
])('%s is free', (command) => {
  expect(targets(command)).toEqual([]);
});

test('pwsh is looked through from bash', () => {
  expect(analyzeShell('pwsh -NoProfile -Command "Set-Content a.txt x"', CONTEXT).writes).toHaveLength(1);
});
