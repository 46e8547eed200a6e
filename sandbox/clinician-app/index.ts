export { CLINICIAN_APP_ID, CLINICIAN_APP_SCOPES, startClinicianApp, type ClinicianApp } from './start-clinician-app.ts';
