export const PATHS = {
  authorization: '/authorize',
  token: '/token',
  introspection: '/introspect',
  revocation: '/revoke',
  jwks: '/jwks',
  end_session: '/end',
} as const;

/** Where the hospital's provider leads a person back to. */
export const PROVIDER_BACK_PATH = '/provider/back';
/** The page on which a person sees and ends what apps may do. */
export const GRANTS_PATH = '/grants';
