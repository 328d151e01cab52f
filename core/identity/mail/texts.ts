/** What a person reads. Only our own words, and addresses that were checked: anybody can make us write to anybody. */
export interface MailText {
  subject: string
  text: string
}

const ending = (baseUrl: string) => ['', '-- ', `Assay at ${baseUrl}`, '']

const mail = (baseUrl: string, subject: string, lines: string[]): MailText => ({
  subject,
  text: [...lines, ...ending(baseUrl)].join('\n'),
})

export function verifyEmailText(baseUrl: string, email: string, link: string): MailText {
  return mail(baseUrl, 'Confirm your e-mail address', [
    `Somebody, hopefully you, has an account at Assay with the address ${email}.`,
    'If you made it, confirm that the address is yours: open this page, and give the password that you chose.',
    '',
    link,
    '',
    'The link is good for 24 hours.',
    '',
    'If it was not you, do not confirm. You can take the account over by asking for a new password:',
    `${baseUrl}/forgot-password`,
  ])
}

export function resetPasswordText(baseUrl: string, email: string, link: string): MailText {
  return mail(baseUrl, 'Set a new password', [
    `Somebody asked for a new password for the account ${email} at Assay.`,
    'To set one, open this page:',
    '',
    link,
    '',
    'The link is good once, for one hour. Setting a password ends every session; API tokens stay.',
    '',
    'If it was not you, there is nothing to do: your password stays as it is.',
  ])
}

export function signUpAttemptText(baseUrl: string, email: string): MailText {
  return mail(baseUrl, 'You have an account already', [
    `Somebody tried to create an account at Assay with the address ${email}, but there is one already.`,
    'Nothing was changed.',
    '',
    'If it was you, sign in:',
    `${baseUrl}/sign-in`,
    '',
    'If you do not know the password, or never set one, set a new one:',
    `${baseUrl}/forgot-password`,
    '',
    'If it was not you, there is nothing to do.',
  ])
}

export function passwordChangedText(baseUrl: string, email: string): MailText {
  return mail(baseUrl, 'Your password was changed', [
    `The password of the account ${email} at Assay was changed.`,
    '',
    'If it was not you, set a new one now, which ends every session, and look at your API tokens:',
    `${baseUrl}/forgot-password`,
  ])
}

export function invitationText(baseUrl: string, email: string): MailText {
  return mail(baseUrl, 'You are invited to an organization', [
    `Somebody invited ${email} to an organization at Assay.`,
    '',
    'If you have no account yet, make one with this address, and confirm the address:',
    `${baseUrl}/sign-up`,
    '',
    'If you have one, sign in and confirm its address:',
    `${baseUrl}/sign-in`,
    '',
    'If you do not know what this is about, there is nothing to do.',
  ])
}

export function addedToOrganizationText(baseUrl: string, email: string): MailText {
  return mail(baseUrl, 'You belong to an organization now', [
    `Somebody added the account ${email} to an organization at Assay. You find it there:`,
    `${baseUrl}/`,
    '',
    'If you do not want that, ask one of its admins, or leave it with organizations.removeMember.',
  ])
}
