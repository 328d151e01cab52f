import { buildDashboard } from '../local/dashboard/build.ts'

/** Builds the dashboard before the tests if its sources changed. */
export default async function setup(): Promise<void> {
  await buildDashboard()
}
