import { listTools } from '../mcp-server/protocol/list-tools.ts'
import { everything, selectTools } from '../mcp-server/selection.ts'
import { definitionsOf } from '../mcp-server/tools/index.ts'
import packageInfo from '../package.json' with { type: 'json' }
import { externalPackages } from './bundle.ts'

const { name, version, description, license, mcpName, bin } = packageInfo

/** For the bundled JavaScript. A checkout requires the version of Node that it contains. */
const node = '>=22.18'

/** The manifest of the published package. The package.json of the checkout is private. */
export function npmManifest() {
  return {
    name,
    version,
    description,
    keywords: ['mcp', 'testing', 'coding-agents', 'test-automation'],
    license,
    mcpName,
    type: 'module',
    bin: Object.fromEntries(Object.keys(bin).map((program) => [program, `bin/${program}.js`])),
    engines: { node },
    dependencies: Object.fromEntries(externalPackages.map((one) => [one, packageInfo.dependencies[one]])),
  }
}

/** The manifest for Claude Desktop, which prompts for the settings and stores the token securely. */
export function desktopManifest() {
  return {
    manifest_version: '0.3',
    name,
    display_name: 'Assay',
    version,
    description,
    author: { name: 'The authors of Assay' },
    license,
    server: {
      type: 'node',
      entry_point: 'bin/assay-mcp.js',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/bin/assay-mcp.js'],
        env: { SVC_BASE_URL: '${user_config.base_url}', SVC_API_TOKEN: '${user_config.token}' },
      },
    },
    user_config: {
      base_url: {
        type: 'string',
        title: "Assay's address",
        description: 'Address of the API, such as http://localhost:4000.',
        default: 'http://localhost:4000',
        required: true,
      },
      token: {
        type: 'string',
        title: 'Token',
        description: 'Begins with svc_. Local mode writes one to .data/token. Create others with assay tokens create.',
        sensitive: true,
        required: true,
      },
    },
    tools: listTools(definitionsOf(selectTools(everything)), true).map((tool) => ({
      name: tool.name,
      description: tool.description ?? '',
    })),
    // Toolsets and scopes decide which tools are available.
    tools_generated: true,
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node } },
  }
}
