import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'

/** Counts the tokens that a tool costs in every conversation: clients give the model its name, description and arguments. */
export const tokensOfTool = ({ name, description, inputSchema }: ListedTool) =>
  tokensOf(JSON.stringify({ name, description, inputSchema }))

export const tokensOf = (text: string) => encode(text).length

/** The tools in their order, and the tokens that each may cost. Raise a number only with the reason in the commit. */
export const expectedTokens: Readonly<Record<string, number>> = {
  whoami: 43,
  list_projects: 93,
  get_project: 60,
  create_project: 112,
  analyze_repository: 248,
  get_analysis: 128,
  suggest_tests: 216,
  generate_tests: 138,
  verify_test: 233,
  verify_change: 192,
  check_patch: 131,
  find_weak_tests: 211,
  select_tests: 98,
  trigger_run: 175,
  wait_for_run: 85,
  get_run: 52,
  list_runs: 107,
  get_run_failures: 100,
  get_run_log: 93,
  get_test_health: 121,
  cancel_run: 51,
  list_webhooks: 69,
  create_webhook: 152,
  update_webhook: 94,
  delete_webhook: 66,
  rotate_webhook_secret: 95,
  list_webhook_deliveries: 97,
  retry_webhook_delivery: 73,
  test_webhook: 67,
  request_quarantine: 101,
  update_project: 116,
  update_project_settings: 253,
  delete_project: 68,
  list_repositories: 83,
  list_organizations: 50,
  get_organization: 65,
  create_organization: 66,
  update_organization: 70,
  delete_organization: 63,
  invite_member: 89,
  update_member_role: 83,
  remove_member: 78,
  get_profile: 35,
  update_profile: 44,
  list_sessions: 54,
  revoke_session: 64,
  get_audit_logs: 67,
}
