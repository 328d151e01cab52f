import type { CodeOf } from '../../parts/code-link.tsx'
import { Mutation, ShareBar } from '../../parts/judged.tsx'
import { plural } from '../../parts/number-text.ts'
import { Section } from '../../parts/page.tsx'
import type { Evidence } from './types.ts'

/** The small changes of the code that were tried: how many the test noticed, and which it did not. */
export function Mutants({ of, code }: { of: NonNullable<Evidence['mutation']>; code: CodeOf }) {
  const leftOut = of.survived - of.survivors.length
  return (
    <Section title="Changes of the code">
      <div className="card page-lines">
        <p>
          {of.tried} of {plural(of.found, 'possible change')} of the covered code {of.tried === 1 ? 'was' : 'were'}{' '}
          tried.
          {of.newlyKilled === null
            ? undefined
            : ` The project's own tests do not notice ${of.newlyKilled} of those that the test notices.`}
        </p>
        <ShareBar
          label="What became of the changes"
          of={[
            { name: 'noticed by an assertion', count: of.killed, tone: 'good' },
            { name: 'noticed, because the code threw', count: of.crashed, tone: 'broken' },
            { name: 'noticed, because the test did not end', count: of.timedOut, tone: 'busy' },
            { name: 'survived', count: of.survived, tone: 'bad' },
            { name: 'could not run', count: of.invalid, tone: 'warn' },
            { name: 'not tried', count: Math.max(0, of.found - of.tried), tone: 'quiet' },
          ]}
        />
        {of.survivors.length > 0 ? (
          <>
            <h3>Survivors: the test passes with each of these changes</h3>
            <div className="split">
              {of.survivors.map((each, index) => (
                <Mutation key={index} of={each} code={code} operator={each.operator} />
              ))}
            </div>
            {leftOut > 0 ? <p className="quiet">{plural(leftOut, 'survivor')} more are not listed.</p> : undefined}
          </>
        ) : undefined}
      </div>
    </Section>
  )
}
