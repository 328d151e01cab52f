import { resolve } from 'node:path'
import type { Assay } from './assay.ts'
import { sandboxHint } from './sandbox.ts'

const projectRoot = resolve(import.meta.dirname, '..')

/** What a person sees once everything runs: where it is, and the one next step. */
export function welcome(assay: Assay, seconds: number): string {
  const { config, coreUrl, mcpUrl, tokenFile, signInLink } = assay
  const hint = sandboxHint(config, process.env['PATH'] ?? '')
  const lines = [
    '',
    `  Assay is ready (${seconds.toFixed(1)} s).`,
    '',
    `    API   ${coreUrl}`,
    `    MCP   ${mcpUrl}`,
    ...(config.local ? [`    Data  ${config.dataDir}`] : []),
    ...(tokenFile ? [`    Token ${tokenFile}`] : []),
    '',
    ...(hint === undefined ? [] : [`  ${hint}`, '']),
    ...(signInLink ? openBrowser(signInLink) : []),
    ...(config.local ? connectAgent(settingsFor(assay)) : firstAccount(coreUrl)),
    '',
    '  Ctrl-C stops everything.',
    '',
  ]
  return `${lines.join('\n')}\n`
}

const command = process.execPath
const script = resolve(projectRoot, 'mcp-server/start.mjs')

const firstAccount = (coreUrl: string) => [
  `  Next: make the first account at ${coreUrl}/sign-up, if there is none yet.`,
  '  For programs, npm run owner makes an account of its own and its token.',
]

const openBrowser = (signInLink: string) => [
  `  Open ${signInLink}`,
  '  (good once, for 10 minutes; npm run sign-in-link makes a new one)',
  '',
]

function connectAgent(settings: Record<string, string>): string[] {
  return [
    '  Next: connect your coding agent. For Claude Code:',
    '',
    `    ${claudeCommand(settings)}`,
    '',
    '  Any other MCP client:',
    '',
    ...JSON.stringify(mcpSnippet(settings), null, 2)
      .split('\n')
      .map((line) => `    ${line}`),
    '',
    '  Then ask it: "What should I test in this repository?"',
    '  Or see it work first: npm run demo (in a second terminal).',
  ]
}

/** What the MCP server cannot find out by itself. */
function settingsFor({ config, coreUrl }: Assay): Record<string, string> {
  return {
    ...(coreUrl === 'http://localhost:4000' ? {} : { SVC_BASE_URL: coreUrl }),
    ...(config.dataDir === resolve(projectRoot, '.data') ? {} : { DATA_DIR: config.dataDir }),
  }
}

/** For Claude Code; the README shows the same. */
export function claudeCommand(settings: Record<string, string>): string {
  const given = Object.entries(settings).map(([name, value]) => `-e ${name}=${value} `)
  return `claude mcp add assay ${given.join('')}-- ${command} ${script}`
}

/** For any client that reads the common form; the README shows the same. */
export function mcpSnippet(settings: Record<string, string>) {
  const env = Object.keys(settings).length > 0 ? { env: settings } : {}
  return { mcpServers: { assay: { command, args: [script], ...env } } }
}
