import { quote } from './shell.ts'

/** Where a sandbox shows the variables of the command, as a script. */
export const environmentFile = '/run/assay/environment'

/** Writes variables as shell commands. Names that the shell reserves, such as PPID, keep their values. */
export function environmentScript(environment: Readonly<Record<string, string>>): string {
  const lines = Object.entries(environment).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new Error(`${JSON.stringify(name)} is not a valid name of a variable`)
    if (value.includes('\0')) throw new Error(`the variable ${name} contains a null character`)
    return `command export ${name}=${quote(value)} 2>/dev/null\n`
  })
  return lines.join('')
}

/**
 * The command with the variables that the sandbox shows. What runs before it in the sandbox is ours and starts without
 * them: a PATH, LD_PRELOAD or NODE_OPTIONS of the project would change what it does.
 */
export function withEnvironment(argv: readonly string[]): string[] {
  return ['/bin/sh', '-c', `. ${environmentFile}\nexec "$@"`, 'sh', ...argv]
}
