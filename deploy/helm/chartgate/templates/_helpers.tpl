{{- define "chartgate.name" -}}
{{- if contains "chartgate" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-chartgate" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "chartgate.selector" -}}
app.kubernetes.io/name: chartgate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "chartgate.labels" -}}
{{ include "chartgate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "chartgate.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- /* Of all processes of a pod; the primary of several workers takes about 130 MB. */ -}}
{{- define "chartgate.memoryMb" -}}
{{- if gt (int .Values.workers) 1 -}}
{{- add (mul (int .Values.workers) (int .Values.memoryMb)) 130 -}}
{{- else -}}
{{- int .Values.memoryMb -}}
{{- end -}}
{{- end -}}

{{- define "chartgate.env" -}}
{{- $own := list "CHARTGATE_HOST" "CHARTGATE_PORT" "CHARTGATE_OPS_PORT" "CHARTGATE_PUBLIC_URL" "CHARTGATE_EHR_URL" "CHARTGATE_EHR_AUTH" "CHARTGATE_MRN_SYSTEM" "CHARTGATE_MODE" "CHARTGATE_MEMORY_MB" "CHARTGATE_DRAIN_SECONDS" "CHARTGATE_TRUST_PROXY" "CHARTGATE_TLS_CERT_FILE" "CHARTGATE_TLS_KEY_FILE" "CHARTGATE_EHR_TLS_CERT_FILE" "CHARTGATE_EHR_TLS_KEY_FILE" "CHARTGATE_AUDIT_ANCHOR" -}}
{{- range $name, $value := .Values.settings -}}
{{- if has $name $own -}}
{{- fail (printf "settings: %s has a value of its own in values.yaml" $name) -}}
{{- end -}}
{{- end -}}
{{- if or (has "CHARTGATE_OPS_TOKEN" .Values.secretSettings) (hasKey .Values.settings "CHARTGATE_OPS_TOKEN") -}}
{{- fail "CHARTGATE_OPS_TOKEN: the probes of the kubelet cannot send it from a Secret; the NetworkPolicy guards the ops port" -}}
{{- end -}}
- name: CHARTGATE_HOST
  value: 0.0.0.0
- name: CHARTGATE_PORT
  value: "8080"
- name: CHARTGATE_OPS_PORT
  value: "9090"
- name: CHARTGATE_PUBLIC_URL
  value: {{ required "publicUrl: how others reach the gateway, such as https://chartgate.hospital.example" .Values.publicUrl | quote }}
- name: CHARTGATE_EHR_URL
  value: {{ required "ehr.url: the EHR's FHIR base" .Values.ehr.url | quote }}
- name: CHARTGATE_EHR_AUTH
  value: {{ .Values.ehr.auth | quote }}
- name: CHARTGATE_MRN_SYSTEM
  value: {{ required "mrnSystem: the identifier system of the medical record number" .Values.mrnSystem | quote }}
- name: CHARTGATE_MODE
  value: {{ .Values.mode | quote }}
- name: CHARTGATE_MEMORY_MB
  value: {{ .Values.memoryMb | quote }}
- name: CHARTGATE_DRAIN_SECONDS
  value: {{ .Values.drainSeconds | quote }}
{{- if .Values.trustProxy }}
- name: CHARTGATE_TRUST_PROXY
  value: {{ join "," .Values.trustProxy | quote }}
{{- end }}
{{- if .Values.tls.existingSecret }}
- name: CHARTGATE_TLS_CERT_FILE
  value: /run/chartgate/tls/tls.crt
- name: CHARTGATE_TLS_KEY_FILE
  value: /run/chartgate/tls/tls.key
{{- end }}
{{- if .Values.ehrTls.existingSecret }}
- name: CHARTGATE_EHR_TLS_CERT_FILE
  value: /run/chartgate/ehr-tls/tls.crt
- name: CHARTGATE_EHR_TLS_KEY_FILE
  value: /run/chartgate/ehr-tls/tls.key
{{- end }}
{{- if .Values.auditAnchor.existingClaim }}
- name: CHARTGATE_AUDIT_ANCHOR
  value: /var/lib/chartgate/anchor/
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range .Values.secretSettings }}
- name: {{ printf "%s_FILE" . }}
  value: {{ printf "/run/chartgate/secrets/%s" . }}
{{- end }}
{{- end -}}

{{- define "chartgate.volumeMounts" -}}
- name: secrets
  mountPath: /run/chartgate/secrets
  readOnly: true
- name: tmp
  mountPath: /tmp
{{- if .Values.tls.existingSecret }}
- name: tls
  mountPath: /run/chartgate/tls
  readOnly: true
{{- end }}
{{- if .Values.ehrTls.existingSecret }}
- name: ehr-tls
  mountPath: /run/chartgate/ehr-tls
  readOnly: true
{{- end }}
{{- if .Values.auditAnchor.existingClaim }}
- name: anchor
  mountPath: /var/lib/chartgate/anchor
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "chartgate.volumes" -}}
- name: secrets
  secret:
    secretName: {{ required "existingSecret: a Secret whose keys are names of settings; see deploy/README.md" .Values.existingSecret }}
    defaultMode: 0440
    items:
{{- range .Values.secretSettings }}
      - key: {{ . }}
        path: {{ . }}
{{- end }}
- name: tmp
  emptyDir:
    medium: Memory
    sizeLimit: 16Mi
{{- if .Values.tls.existingSecret }}
- name: tls
  secret:
    secretName: {{ .Values.tls.existingSecret }}
    defaultMode: 0440
{{- end }}
{{- if .Values.ehrTls.existingSecret }}
- name: ehr-tls
  secret:
    secretName: {{ .Values.ehrTls.existingSecret }}
    defaultMode: 0440
{{- end }}
{{- if .Values.auditAnchor.existingClaim }}
- name: anchor
  persistentVolumeClaim:
    claimName: {{ .Values.auditAnchor.existingClaim }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "chartgate.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "chartgate.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 1000
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end -}}
