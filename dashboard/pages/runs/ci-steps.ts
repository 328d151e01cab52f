import type { CiName } from './ci-names.ts'

interface CiStep {
  title: string
  /** Where the address, the project and the token go. */
  where: string
  /** The step that uploads, the same as in `docs/uploads.md`. */
  step: string
  /** What else to know. */
  note?: string
}

interface Values {
  url: string
  projectId: string
  token: string
}

export const ciSteps: Record<CiName, CiStep> = {
  github: {
    title: 'GitHub Actions',
    where: 'Set two variables and a secret of the repository:',
    step: `jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix: { shard: [1, 2, 3, 4] }
    steps:
      - uses: actions/checkout@v4
      - run: npm ci
      - run: npx vitest run --shard=\${{ matrix.shard }}/4 --reporter=default --reporter=junit --outputFile.junit=junit.xml --coverage --coverage.reporter=lcov
      - if: always()
        run: >
          curl --fail-with-body -sS "\${{ vars.ASSAY_URL }}/api/ci/upload/\${{ vars.ASSAY_PROJECT }}"
          -H "Authorization: Bearer \${{ secrets.ASSAY_TOKEN }}"
          -F branch="\${{ github.head_ref || github.ref_name }}"
          -F commitSha="\${{ github.event.pull_request.head.sha || github.sha }}"
          -F shardKey="\${{ github.run_id }}-\${{ github.run_attempt }}"
          -F reports=@junit.xml -F coverage=@coverage/lcov.info`,
    note: 'Without shards, omit `matrix` and `shardKey`. Pull requests from forks have no access to secrets, so their uploads fail.',
  },
  gitlab: {
    title: 'GitLab CI',
    where: 'Define these as CI/CD variables of the project, and mask the token:',
    step: `test:
  image: node:24
  parallel: 4
  script:
    - npm ci
    - npx vitest run --shard=$CI_NODE_INDEX/$CI_NODE_TOTAL --reporter=default --reporter=junit --outputFile.junit=junit.xml
  after_script:
    - >
      curl --fail-with-body -sS "$ASSAY_URL/api/ci/upload/$ASSAY_PROJECT" -H "Authorization: Bearer $ASSAY_TOKEN"
      -F branch="$CI_COMMIT_REF_NAME" -F commitSha="$CI_COMMIT_SHA" -F shardKey="$CI_PIPELINE_ID"
      -F reports=@junit.xml`,
  },
  jenkins: {
    title: 'Jenkins',
    where: 'Define the first two as environment variables, and the token as the credential `assay-token`:',
    step: `pipeline {
  agent any
  environment { ASSAY_TOKEN = credentials('assay-token') }
  stages { stage('test') { steps { sh 'mvn -B verify' } } }
  post {
    always {
      sh '''
        set -- $(find . -path '*/surefire-reports/TEST-*.xml' | sed 's/^/-F reports=@/')
        curl --fail-with-body -sS "$ASSAY_URL/api/ci/upload/$ASSAY_PROJECT" -H "Authorization: Bearer $ASSAY_TOKEN" \\
          -F branch="\${GIT_BRANCH#origin/}" -F commitSha="$GIT_COMMIT" -F root="$WORKSPACE" "$@"
      '''
    }
  }
}`,
    note: 'Parallel stages send `-F shardKey="$BUILD_TAG"`.',
  },
  buildkite: {
    title: 'Buildkite',
    where: 'Define the first two as environment variables of the pipeline, and the token as a secret:',
    step: `steps:
  - label: test
    parallelism: 4
    command: |
      npm ci
      status=0
      npx vitest run --shard=$$((BUILDKITE_PARALLEL_JOB + 1))/$$BUILDKITE_PARALLEL_JOB_COUNT --reporter=default --reporter=junit --outputFile.junit=junit.xml || status=$$?
      curl --fail-with-body -sS "$$ASSAY_URL/api/ci/upload/$$ASSAY_PROJECT" -H "Authorization: Bearer $$ASSAY_TOKEN" \\
        -F branch="$$BUILDKITE_BRANCH" -F commitSha="$$BUILDKITE_COMMIT" -F shardKey="$$BUILDKITE_BUILD_ID" \\
        -F root="$$PWD" -F reports=@junit.xml
      exit $$status`,
    note: '`$$` keeps Buildkite from replacing the variables when it reads the pipeline. Without `parallelism`, omit `--shard` and `shardKey`.',
  },
  circleci: {
    title: 'CircleCI',
    where: 'Define these as environment variables of the project:',
    step: `version: 2.1
jobs:
  test:
    docker: [{ image: cimg/node:24.0 }]
    parallelism: 4
    steps:
      - checkout
      - run: npm ci
      - run: npx vitest run --shard=$((CIRCLE_NODE_INDEX + 1))/$CIRCLE_NODE_TOTAL --reporter=default --reporter=junit --outputFile.junit=junit.xml
      - run:
          when: always
          command: >
            curl --fail-with-body -sS "$ASSAY_URL/api/ci/upload/$ASSAY_PROJECT" -H "Authorization: Bearer $ASSAY_TOKEN"
            -F branch="$CIRCLE_BRANCH" -F commitSha="$CIRCLE_SHA1" -F shardKey="$CIRCLE_WORKFLOW_ID"
            -F reports=@junit.xml
workflows:
  test: { jobs: [test] }`,
    note: 'Without `parallelism`, omit `--shard` and `shardKey`.',
  },
  shell: {
    title: 'Shell',
    where: 'Set these in the environment of the job:',
    step: `curl --fail-with-body -sS "$ASSAY_URL/api/ci/upload/$ASSAY_PROJECT" -H "Authorization: Bearer $ASSAY_TOKEN" \\
  -F branch=main -F commitSha="$(git rev-parse HEAD)" -F root="$PWD" \\
  -F reports=@junit.xml -F coverage=@coverage/lcov.info -F artifacts=@screenshots/cart.png`,
    note: '`assay upload` does the same and finds branch, commit and files by itself.',
  },
}

/** Returns how to give the CI system the address, the project and the token. */
export function variablesOf(name: CiName, { url, projectId, token }: Values): string {
  if (name === 'github') {
    return [
      `gh variable set ASSAY_URL --body '${url}'`,
      `gh variable set ASSAY_PROJECT --body '${projectId}'`,
      `gh secret set ASSAY_TOKEN --body '${token}'`,
    ].join('\n')
  }
  const names = [`ASSAY_URL=${url}`, `ASSAY_PROJECT=${projectId}`, `ASSAY_TOKEN=${token}`]
  return names.map((line) => (name === 'shell' ? `export ${line}` : line)).join('\n')
}
