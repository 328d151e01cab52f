/** A finding before its line is known. */
export interface Suspect {
  kind: 'undeclared_import' | 'dead_export'
  file: number
  /** The package or the exported name. */
  name: string
  /** As the import is written. */
  specifier?: string
  line?: number
  /** Nothing imports the file itself. */
  isUnused?: true
}
