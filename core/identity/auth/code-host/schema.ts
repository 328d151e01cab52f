import { z } from 'zod'

const social = {
  provider: z.literal('code_host', 'must be code_host'),
  callbackURL: z.string().default('/'),
  errorCallbackURL: z.string().optional(),
  /** For clients of better-auth, which would go there by themselves. */
  disableRedirect: z.boolean().default(false),
}

/** `POST /api/auth/sign-in/social`. Where to return to is checked by `safeCallbackUrl`. */
export const SignInWithCodeHost = z.object(social)
export type SignInWithCodeHost = z.infer<typeof SignInWithCodeHost>

/** `POST /api/auth/link-social`. `repo` lets Assay read private repositories; without it there is just the identity. */
export const LinkCodeHost = z.object({
  ...social,
  scopes: z.array(z.enum(['read:user', 'user:email', 'repo'])).optional(),
})
export type LinkCodeHost = z.infer<typeof LinkCodeHost>

/** Where to send the browser. */
export const CodeHostRedirect = z.object({ url: z.string(), redirect: z.boolean() })
export type CodeHostRedirect = z.infer<typeof CodeHostRedirect>

/** What the code host sends the browser back with; the route reads it by itself and answers every mistake with a page. */
export const CodeHostReturn = z.object({ code: z.string(), state: z.string() })
