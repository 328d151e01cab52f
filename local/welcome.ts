import { resolve } from 'node:path'
import type { Assay } from './assay.ts'

const projectRoot = resolve(import.meta.dirname, '..')

/** What a person sees once everything runs: where it is, and the one next step. */
export function welcome({ config, coreUrl, mcpUrl, tokenFile }: Assay, seconds: number): string {
  const lines = [
    '',
    `  Assay is ready (${seconds.toFixed(1)} s).`,
    '',
    `    API   ${coreUrl}`,
    `    MCP   ${mcpUrl}`,
    ...(config.local ? [`    Data  ${config.dataDir}`] : []),
    ...(tokenFile ? [`    Token ${tokenFile}`] : []),
    '',
    '  Next: connect your coding agent. For Claude Code:',
    '',
    `    claude mcp add assay -- ${process.execPath} ${resolve(projectRoot, 'mcp-server/start.mjs')}`,
    '',
    '  Any other MCP client:',
    '',
    ...JSON.stringify(mcpSnippet(), null, 2)
      .split('\n')
      .map((line) => `    ${line}`),
    '',
    '  Then ask it: "What should I test in this repository?"',
    '  Or see it work first: npm run demo (in a second terminal).',
    '',
    '  Ctrl-C stops everything.',
    '',
  ]
  return `${lines.join('\n')}\n`
}

function mcpSnippet() {
  return { mcpServers: { assay: { command: process.execPath, args: [resolve(projectRoot, 'mcp-server/start.mjs')] } } }
}
