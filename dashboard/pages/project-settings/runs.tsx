import { CheckField, Form } from '../../parts/form.tsx'
import { SaveBar } from './save-bar.tsx'
import { PatternsField } from './tests.tsx'
import { linesOf, patternsIn } from './text-values.ts'
import { type TabProps, useDraft, useSaveSettings } from './use-draft.ts'

/** Which events of the code host start runs and analyses. */
export function RunsTab({ project, settings, isAdmin }: TabProps) {
  const { form, set, isChanged, onlyChanged, reset } = useDraft({
    push: settings.runOn.push,
    pullRequest: settings.runOn.pullRequest,
    release: settings.runOn.release,
    analyzeOnPush: settings.analyzeOnPush,
    branches: linesOf(settings.branches),
  })
  const { save, isSaving } = useSaveSettings(project.id, reset)
  const { push, pullRequest, release, analyzeOnPush, branches } = form
  return (
    <Form
      onSubmit={() =>
        save({
          runOn: onlyChanged({ push, pullRequest, release }),
          ...onlyChanged({ analyzeOnPush, branches: patternsIn(branches) }),
        })
      }
      label="Runs and branches"
    >
      <p>These apply once the code host sends its events, which the tab Code host sets up.</p>
      <fieldset className="checks">
        <legend>Run the tests on</legend>
        <CheckField
          label="Pushes"
          hint="The new commit of a branch that matches."
          checked={push}
          onChange={(isChecked) => set('push', isChecked)}
        />
        <CheckField
          label="Pull requests"
          hint="The head commit, if the target branch matches. Pull requests from forks get no environment variables."
          checked={pullRequest}
          onChange={(isChecked) => set('pullRequest', isChecked)}
        />
        <CheckField
          label="Releases"
          hint="The tag of a published release."
          checked={release}
          onChange={(isChecked) => set('release', isChecked)}
        />
      </fieldset>
      <fieldset className="checks">
        <legend>Analyze on</legend>
        <CheckField
          label="Pushes"
          hint="Keeps the ranking of what to test up to date."
          checked={analyzeOnPush}
          onChange={(isChecked) => set('analyzeOnPush', isChecked)}
        />
      </fieldset>
      <PatternsField
        label="Branches"
        hint="One pattern on a line: * matches text without a slash, ** any text, ? one character. Empty: every branch."
        placeholder={'main\nrelease/*'}
        value={branches}
        onChange={(value) => set('branches', value)}
      />
      <SaveBar isChanged={isChanged} isSaving={isSaving} mayChange={isAdmin} onReset={reset} />
    </Form>
  )
}
