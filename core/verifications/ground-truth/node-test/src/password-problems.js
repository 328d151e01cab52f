/** Why a password is not taken; none where it is. */
export function passwordProblems(password, { minLength = 8, maxLength = 64 } = {}) {
  const problems = []
  if (password.length < minLength) problems.push(`has fewer than ${minLength} characters`)
  if (password.length > maxLength) problems.push(`has more than ${maxLength} characters`)
  if (!/\d/.test(password)) problems.push('has no digit')
  if (password === password.toLowerCase()) problems.push('has no capital letter')
  if (/^\s|\s$/.test(password)) problems.push('begins or ends with a space')
  return problems
}
