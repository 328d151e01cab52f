import type { Config } from '../../config.ts'
import { createRunScene, type RunScene } from '../../test-runs/testing/scene.ts'
import type { Verification } from '../schema.ts'

type Verify = RunScene['client']['tests']['verify']['mutate']

/** An application that executes verifications, with one user. */
export interface VerificationScene extends RunScene {
  /** Starts a verification and waits for its end. */
  verify(
    projectId: string,
    test: { filePath: string; code: string },
    how?: Omit<Parameters<Verify>[0], 'projectId' | 'filePath' | 'code'>,
  ): Promise<Verification>
  waitForVerification(verificationId: string): Promise<Verification>
}

export async function createVerificationScene(change: Partial<Config> = {}): Promise<VerificationScene> {
  const scene = await createRunScene(change)
  const waitForVerification = async (verificationId: string) => {
    for (;;) {
      const verification = await scene.client.tests.getVerification.query({ verificationId, waitSeconds: 45 })
      if (verification.completedAt !== null) return verification
    }
  }
  return {
    ...scene,
    waitForVerification,
    verify: async (projectId, test, how = {}) => {
      const { id } = await scene.client.tests.verify.mutate({ projectId, ...test, ...how })
      return waitForVerification(id)
    },
  }
}
