/**
 * What passwords are made of when nobody thinks long. Whoever uses one as a part of a longer password gains nothing by
 * it: the check takes them out and looks at what is left.
 */
export const COMMON_WORDS: readonly string[] = `
password passwort passphrase passcode secret geheim motdepasse contrasena wachtwoord parola haslo
welcome willkommen bienvenue letmein login signin access admin administrator root superuser operator sysadmin
user guest test testing demo sample example default changeme change temp temporary initial new
qwerty qwertz azerty asdf asdfgh zxcvbn qazwsx
hello hallo bonjour love iloveyou forever baby angel princess prince king queen
dragon monkey tiger lion eagle falcon shadow master ninja wizard superman batman spiderman pokemon starwars
football soccer baseball basketball hockey tennis golf liverpool arsenal chelsea barcelona juventus
sunshine rainbow flower butterfly cookie chocolate cheese pepper banana orange apple cherry
summer winter spring autumn fall sommer herbst january february march april may june july august september october
november december monday tuesday wednesday thursday friday saturday sunday
michael jordan jennifer jessica ashley daniel thomas robert william charlie george andrew joshua matthew hannah
london paris berlin madrid vienna zurich boston chicago dallas texas america england canada germany
computer internet server network database system windows linux android google facebook microsoft samsung
hospital hospitals klinik clinic doctor nurse patient patients health healthcare medical medicine ward surgery emergency
chart chartgate gateway fhir interop interoperability integration laboratory engineer auditor registrar viewer
money dollar euro mustang ferrari porsche mercedes harley corvette yamaha
trustno whatever nothing freedom killer hunter ranger pirate phoenix
blue black white green yellow purple silver golden
correct horse battery staple
`
  .trim()
  .split(/\s+/);
