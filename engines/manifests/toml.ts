import { parse } from 'smol-toml'
import { UnreadableManifest } from './manifest.ts'
import type { Table } from './values.ts'
import { table } from './values.ts'

export function parseToml(source: string): Table {
  try {
    return table(parse(source))
  } catch {
    throw new UnreadableManifest('is not valid TOML')
  }
}
