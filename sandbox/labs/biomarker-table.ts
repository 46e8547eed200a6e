/*
 * What the sandbox can read from a laboratory report: key | name | other names | panel | what it may be reported as.
 * The last column has one entry for each LOINC code: the code, the units that it may come in (UCUM) and the limits
 * beyond which no living body can be, in the first of these units; `words` with a vocabulary is a result that is no
 * number. Derived from public tables; the notices of LOINC and UCUM are in mappings/README.md. The limits are cautious
 * engineering judgement.
 */
export const BIOMARKER_TABLE = `
wbc | White blood cell count | wbc, leukocytes, leucocytes, leucocitos, white blood cells, white cell count, wbc count | cbc | 6690-2 10*3/uL 10*9/L 0.01..1000
rbc | Red blood cell count | rbc, erythrocytes, red blood cells, red cell count, rbc count | cbc | 789-8 10*6/uL 10*12/L 0.3..12
hemoglobin | Hemoglobin | hgb, hb, haemoglobin | cbc | 718-7 g/dL g/L 1..30
hematocrit | Hematocrit | hct, haematocrit, pcv, packed cell volume | cbc | 4544-3 % 5..80
mcv | MCV | mean corpuscular volume, mean cell volume | cbc | 30428-7 fL 30..180
mch | MCH | mean corpuscular hemoglobin, mean cell hemoglobin | cbc | 28539-5 pg 8..60
mchc | MCHC | mean corpuscular hemoglobin concentration | cbc | 28540-3 g/dL g/L 15..50
rdw_cv | RDW | rdw cv, red cell distribution width, red cell distribution width cv | cbc | 788-0 % 5..50
rdw_sd | RDW-SD | red cell distribution width sd | cbc | 21000-5 fL 15..150
platelets | Platelet count | plt, platelets, thrombocytes | cbc | 777-3 10*3/uL 10*9/L 0..5000
mpv | MPV | mean platelet volume | cbc | 32623-1 fL 3..30
pdw | PDW | platelet distribution width | cbc | 32207-3 fL 3..40
neutrophils_abs | Neutrophils absolute | anc, neutrophils #, absolute neutrophils, neutrophils abs, neutrophils, neutrophil count | diff | 751-8 10*3/uL 10*9/L 0..300
neutrophils_pct | Neutrophils % | neutrophils percent, neut %, neutrophils | diff | 770-8 % 0..100
lymphocytes_abs | Lymphocytes absolute | alc, lymphocytes #, absolute lymphocytes, lymphs absolute, lymphocytes abs, lymphocytes | diff | 731-0 10*3/uL 10*9/L 0..900
lymphocytes_pct | Lymphocytes % | lymphocytes percent, lymph %, lymphs, lymphocytes | diff | 736-9 % 0..100
monocytes_abs | Monocytes absolute | monocytes #, absolute monocytes, monocytes abs, monocytes | diff | 742-7 10*3/uL 10*9/L 0..300
monocytes_pct | Monocytes % | monocytes percent, mono %, monocytes | diff | 5905-5 % 0..100
eosinophils_abs | Eosinophils absolute | eosinophils #, absolute eosinophils, eosinophils abs, eosinophils | diff | 711-2 10*3/uL 10*9/L 0..200
eosinophils_pct | Eosinophils % | eosinophils percent, eos %, eosinophils | diff | 713-8 % 0..100
basophils_abs | Basophils absolute | basophils #, absolute basophils, basophils abs, basophils | diff | 704-7 10*3/uL 10*9/L 0..100
basophils_pct | Basophils % | basophils percent, baso %, basophils | diff | 706-2 % 0..100
ig_abs | Immature granulocytes absolute | ig #, immature granulocytes | diff | 53115-2 10*3/uL 10*9/L 0..100
esr | Erythrocyte sedimentation rate | esr, vsg, sed rate, sedimentation rate | inflammation | 30341-2 mm/h 0..200
esr_westergren | ESR (Westergren) | erythrocyte sedimentation rate westergren | inflammation | 4537-7 mm/h 0..200
crp | C-reactive protein | crp | inflammation | 1988-5 mg/L mg/dL 0..1000
hs_crp | hs-CRP | hscrp, c reactive protein high sensitivity, high sensitivity crp, c reactive protein cardiac, cardio crp | inflammation | 30522-7 mg/L mg/dL 0..1000
procalcitonin | Procalcitonin | pct | inflammation | 33959-8 ng/mL ug/L 0..2000
il6 | Interleukin 6 | il 6 | inflammation | 26881-3 pg/mL 0..100000
glucose | Glucose | blood sugar, random glucose, glucose serum, glucose plasma | bmp | 2345-7 mg/dL 5..2500; 14749-6 mmol/L 0.3..140
glucose_fasting | Glucose, fasting | fasting glucose, fpg, fasting plasma glucose, glucose fasting | bmp | 1558-6 mg/dL 5..2500
bun | Urea nitrogen (BUN) | bun, urea nitrogen, blood urea nitrogen | bmp | 3094-0 mg/dL 0.5..400; 14937-7 mmol/L 0.2..143
urea | Urea | | bmp | 3091-6 mg/dL 1..900; 22664-7 mmol/L 0.2..150
creatinine | Creatinine | crea, cr, creatinine serum, serum creatinine | bmp | 2160-0 mg/dL 0.05..50; 14682-9 umol/L 4..4500
bun_creatinine | BUN/Creatinine ratio | bun cr, bun creatinine | bmp | 3097-3 mg/mg{creat} {ratio} 0.5..200
egfr_2021 | eGFR (CKD-EPI 2021) | egfr ckd epi 2021, egfrcr ckd epi 2021 | bmp | 98979-8 mL/min/{1.73_m2} 0..250
egfr_ckdepi | eGFR (CKD-EPI) | egfr ckd epi | bmp | 62238-1 mL/min/{1.73_m2} 0..250
egfr_mdrd | eGFR (MDRD) | egfr mdrd | bmp | 33914-3 mL/min/{1.73_m2} 0..250
sodium | Sodium | na | bmp | 2951-2 mmol/L meq/L 80..220
potassium | Potassium | k | bmp | 2823-3 mmol/L meq/L 1..15
chloride | Chloride | cl | bmp | 2075-0 mmol/L meq/L 50..180
co2 | Carbon dioxide, total | co2, tco2, total co2, carbon dioxide | bmp | 2028-9 mmol/L meq/L 1..80
bicarbonate | Bicarbonate | hco3 | bmp | 1963-8 mmol/L meq/L 1..80
anion_gap | Anion gap | ag | bmp | 33037-3 mmol/L meq/L -15..80
calcium | Calcium | ca, total calcium, calcium total | bmp | 17861-6 mg/dL 2..25
ionized_calcium | Calcium, ionized | ica, ionized calcium | bmp | 1995-0 mmol/L 0.2..5
total_protein | Protein, total | tp, total protein | cmp | 2885-2 g/dL g/L 1..20
albumin | Albumin | alb | cmp | 1751-7 g/dL g/L 0.5..8
globulin | Globulin | glob, globulin total, globulin calculated | cmp | 10834-0 g/dL g/L 0.3..15
ag_ratio | Albumin/Globulin ratio | a g, a g ratio, albumin globulin | cmp | 1759-0 {ratio} 0.1..10
bilirubin_total | Bilirubin, total | tbil, total bilirubin | cmp | 1975-2 mg/dL 0..80
bilirubin_direct | Bilirubin, direct | dbil, direct bilirubin, conjugated bilirubin, bilirubin conjugated | hepatic | 1968-7 mg/dL 0..60
bilirubin_indirect | Bilirubin, indirect | ibil, indirect bilirubin | hepatic | 1971-1 mg/dL 0..60
alp | Alkaline phosphatase | alp, alk phos | cmp | 6768-6 U/L [IU]/L 1..8000
ast | AST | sgot, ast sgot, aspartate aminotransferase | cmp | 1920-8 U/L [IU]/L 1..40000
alt | ALT | sgpt, alt sgpt, alanine aminotransferase | cmp | 1742-6 U/L [IU]/L 1..40000
ggt | GGT | gamma glutamyl transferase, gamma gt | hepatic | 2324-2 U/L [IU]/L 1..10000
ldh | LDH | lactate dehydrogenase, ld | hepatic | 2532-0 U/L [IU]/L 10..50000
amylase | Amylase | amy | pancreas | 1798-8 U/L [IU]/L 1..30000
lipase | Lipase | lip | pancreas | 3040-3 U/L [IU]/L 1..50000
uric_acid | Uric acid | urate | metabolic | 3084-1 mg/dL 0.1..40
phosphate | Phosphate | phosphorus | metabolic | 2777-1 mg/dL 0.2..40
magnesium | Magnesium | mg | metabolic | 19123-9 mg/dL 0.2..20; 2601-3 mmol/L 0.1..8
ammonia | Ammonia | nh3 | metabolic | 16362-6 umol/L 0..2000
lactate | Lactate | lactic acid | metabolic | 2524-7 mmol/L 0.1..50
osmolality | Osmolality | osmo, osmolality serum | metabolic | 2692-2 mosm/kg 180..500
cystatin_c | Cystatin C | cysc | renal | 33863-2 mg/L 0.1..15
ck | Creatine kinase | ck, cpk, ck total | cardiac | 2157-6 U/L [IU]/L 1..500000
ck_mb | CK-MB | creatine kinase mb | cardiac | 13969-1 ng/mL ug/L 0..1000
troponin_i | Troponin I | ctni | cardiac | 10839-9 ng/mL ug/L 0..1000
troponin_t | Troponin T | ctnt | cardiac | 6598-7 ug/L ng/mL 0..1000
hs_troponin_i | Troponin I, high sensitivity | hs tni, hs troponin i | cardiac | 89579-7 ng/L pg/mL 0..500000
hs_troponin_t | Troponin T, high sensitivity | hs tnt, hs troponin t | cardiac | 67151-1 ng/L pg/mL 0..100000
bnp | BNP | brain natriuretic peptide | cardiac | 30934-4 pg/mL ng/L 0..50000
nt_probnp | NT-proBNP | probnp, nt pro bnp | cardiac | 33762-6 pg/mL ng/L 0..200000
homocysteine | Homocysteine | hcy | cardiac | 13965-9 umol/L 0.5..500
cholesterol | Cholesterol, total | tc, total cholesterol, cholesterol | lipid | 2093-3 mg/dL 10..2000; 14647-2 mmol/L 0.3..52
hdl | HDL cholesterol | hdl, hdl c, cholesterol hdl | lipid | 2085-9 mg/dL 1..200; 14646-4 mmol/L 0.02..5.2
ldl | LDL cholesterol | ldl, ldl c, cholesterol ldl | lipid | 2089-1 mg/dL 1..1200; 22748-8 mmol/L 0.02..31
ldl_calculated | LDL cholesterol (calculated) | ldl c calc, ldl calculated, ldl c calculated, ldl friedewald, ldl chol calc | lipid | 13457-7 mg/dL 1..1200
ldl_direct | LDL cholesterol (direct) | ldl direct, ldl c direct | lipid | 18262-6 mg/dL 1..1200
vldl | VLDL cholesterol | vldl, vldl c, vldl calculated | lipid | 13458-5 mg/dL 0..500
non_hdl | Non-HDL cholesterol | non hdl, non hdl c | lipid | 43396-1 mg/dL 5..1900
triglycerides | Triglycerides | trig, triglyceride, tg | lipid | 2571-8 mg/dL 5..20000; 14927-8 mmol/L 0.05..230
chol_hdl_ratio | Cholesterol/HDL ratio | tc hdl, tc hdl ratio, chol hdl ratio | lipid | 9830-1 {ratio} 0.5..50
apob | Apolipoprotein B | apob, apo b | lipid | 1884-6 mg/dL 5..500
apoa1 | Apolipoprotein A-I | apoa1, apolipoprotein a1 | lipid | 1869-7 mg/dL 5..500
lpa | Lipoprotein (a) | lp a | lipid | 10835-7 mg/dL 0..500; 43583-4 nmol/L 0..1000
hba1c | Hemoglobin A1c | hba1c, a1c, haemoglobin a1c, glycated hemoglobin | diabetes | 4548-4 % 2..25; 59261-8 mmol/mol 1..250
eag | Estimated average glucose | eag | diabetes | 27353-2 mg/dL 20..700
insulin | Insulin | insulin fasting | diabetes | 20448-7 u[IU]/mL m[IU]/L 0..3000
c_peptide | C-peptide | cpep | diabetes | 1986-9 ng/mL ug/L 0..60
tsh | TSH | thyroid stimulating hormone, thyrotropin | thyroid | 3016-3 m[IU]/L u[IU]/mL 0..500
tsh_sensitive | TSH, third generation | tsh 3rd gen, tsh 3rd generation, tsh sensitive, tsh third generation | thyroid | 11579-0 m[IU]/L u[IU]/mL 0..500
free_t4 | Free T4 | ft4, t4 free, free thyroxine | thyroid | 3024-7 ng/dL 0..20
total_t4 | Total T4 | t4, thyroxine, t4 total | thyroid | 3026-2 ug/dL 0..60
free_t3 | Free T3 | ft3, t3 free, free triiodothyronine | thyroid | 3051-0 pg/mL 0..60
total_t3 | Total T3 | t3, triiodothyronine, t3 total | thyroid | 3053-6 ng/dL 0..1500
reverse_t3 | Reverse T3 | rt3 | thyroid | 3052-8 pg/mL 0..2000
tpo_ab | Thyroid peroxidase antibody | tpo ab, tpo antibody, anti tpo | thyroid | 8099-4 [IU]/mL 0..20000
tg_ab | Thyroglobulin antibody | tgab, anti thyroglobulin | thyroid | 8098-6 [IU]/mL 0..20000
thyroglobulin | Thyroglobulin | tg | thyroid | 3013-0 ng/mL ug/L 0..100000
iron | Iron | fe, serum iron, iron total | iron | 2498-4 ug/dL 1..3000
tibc | TIBC | total iron binding capacity, iron binding capacity | iron | 2500-7 ug/dL 50..1500
tsat | Transferrin saturation | tsat, iron saturation, % saturation | iron | 2502-3 % 0..110
ferritin | Ferritin | fer | iron | 2276-4 ng/mL ug/L 0..200000
transferrin | Transferrin | trf | iron | 3034-6 mg/dL 20..900
vitamin_d | Vitamin D, 25-OH | 25 oh vitamin d, 25 hydroxyvitamin d, vitamin d 25 hydroxy, 25 oh d, vit d 25 oh | vitamins | 62292-8 ng/mL ug/L 1..500
vitamin_d3 | Vitamin D3, 25-OH | 25 oh vitamin d3, calcidiol, 25 hydroxyvitamin d3 | vitamins | 1989-3 ng/mL ug/L 1..500
calcitriol | Vitamin D, 1,25-dihydroxy | calcitriol | vitamins | 1649-3 pg/mL 1..500
vitamin_b12 | Vitamin B12 | b12, cobalamin | vitamins | 2132-9 pg/mL ng/L 20..50000
folate | Folate | folic acid, folate serum, b9 | vitamins | 2284-8 ng/mL ug/L 0.2..200
folate_rbc | Folate, RBC | rbc folate | vitamins | 2283-0 ng/mL ug/L 20..4000
vitamin_a | Vitamin A | retinol | vitamins | 2923-1 ug/dL 1..500
vitamin_e | Vitamin E | alpha tocopherol | vitamins | 1823-4 mg/dL 0.05..20
vitamin_c | Vitamin C | ascorbate | vitamins | 1903-4 mg/dL 0..20
vitamin_b1 | Vitamin B1 | thiamine | vitamins | 2998-3 ug/dL 0.1..100
mma | Methylmalonic acid | mma | vitamins | 13964-2 nmol/L 10..100000
zinc | Zinc | zn | minerals | 5763-8 ug/dL 5..1000
copper | Copper | cu | minerals | 5631-7 ug/dL 3..1000
lead | Lead, blood | blood lead, pb | toxicology | 5671-3 ug/dL 0..500
testosterone | Testosterone, total | testosterone, total testosterone, tt | hormones | 2986-8 ng/dL 0..10000
testosterone_free | Testosterone, free | free testosterone | hormones | 2991-8 pg/mL 0..2000
shbg | SHBG | sex hormone binding globulin | hormones | 13967-5 nmol/L 0.5..500
estradiol | Estradiol | e2 | hormones | 2243-4 pg/mL 0..50000
progesterone | Progesterone | p4 | hormones | 2839-9 ng/mL 0..600
fsh | FSH | follitropin, follicle stimulating hormone | hormones | 15067-2 m[IU]/mL [IU]/L 0..400
lh | LH | lutropin, luteinizing hormone | hormones | 10501-5 m[IU]/mL [IU]/L 0..400
prolactin | Prolactin | prl | hormones | 2842-3 ng/mL ug/L 0..50000
dheas | DHEA-S | dheas, dhea sulfate | hormones | 2191-5 ug/dL 0..5000
cortisol | Cortisol | cort | hormones | 2143-6 ug/dL 0..300
cortisol_am | Cortisol, AM | cortisol am, morning cortisol | hormones | 9813-7 ug/dL 0..300
acth | ACTH | corticotropin | hormones | 2141-0 pg/mL 0..20000
aldosterone | Aldosterone | aldo | hormones | 1763-2 ng/dL 0..2000
growth_hormone | Growth hormone | gh, somatotropin | hormones | 2963-7 ng/mL 0..1000
igf1 | IGF-1 | somatomedin c, insulin like growth factor 1 | hormones | 2484-4 ng/mL 3..3000
pth | Parathyroid hormone, intact | pth, pth intact, intact pth, parathyroid hormone | hormones | 2731-8 pg/mL 0..10000
amh | AMH | anti mullerian hormone | hormones | 38476-8 ng/mL 0..100
beta_hcg | hCG, beta, quantitative | beta hcg, hcg beta quantitative, hcg quantitative | hormones | 21198-7 m[IU]/mL [IU]/L 0..5000000
ohp17 | 17-hydroxyprogesterone | 17 ohp | hormones | 1668-3 ng/dL 0..100000
androstenedione | Androstenedione | a4 | hormones | 1854-9 ng/mL 0..100
psa | PSA, total | psa, psa total, prostate specific antigen | tumor | 2857-1 ng/mL ug/L 0..50000
psa_free | PSA, free | psa free, free psa | tumor | 10886-0 ng/mL ug/L 0..10000
psa_ratio | PSA, free/total | % fpsa, psa free total, % free psa | tumor | 12841-3 % 0..100
cea | CEA | carcinoembryonic antigen | tumor | 2039-6 ng/mL ug/L 0..100000
afp | AFP | alpha fetoprotein | tumor | 1834-1 ng/mL ug/L 0..5000000
ca125 | CA 125 | cancer antigen 125 | tumor | 10334-1 [arb'U]/mL U/mL 0..100000
ca199 | CA 19-9 | cancer antigen 19 9 | tumor | 24108-3 [arb'U]/mL U/mL 0..1000000
ca153 | CA 15-3 | cancer antigen 15 3 | tumor | 6875-9 [arb'U]/mL U/mL 0..100000
pt | Prothrombin time | pt, protime | coagulation | 5902-2 s 5..200
inr | INR | pt inr | coagulation | 6301-6 {INR} 0.3..30
aptt | aPTT | ptt, activated partial thromboplastin time | coagulation | 14979-9 s 10..300
fibrinogen | Fibrinogen | fib | coagulation | 3255-7 mg/dL 10..2000
d_dimer | D-dimer | d dimer feu, d dimer ddu | coagulation | 48065-7 ng/mL{FEU} 0..200000; 48066-5 ug/L{DDU} 0..100000
rf | Rheumatoid factor | rf | autoimmune | 11572-5 [IU]/mL 0..20000
iga | IgA | immunoglobulin a | immunology | 2458-8 mg/dL 0..10000
igg | IgG | immunoglobulin g | immunology | 2465-3 mg/dL 10..20000
igm | IgM | immunoglobulin m | immunology | 2472-9 mg/dL 0..15000
ige | IgE | immunoglobulin e, ige total | immunology | 19113-0 [IU]/mL 0..200000
ttg_iga | Tissue transglutaminase IgA | ttg iga | immunology | 46128-5 [arb'U]/mL U/mL 0..10000
c3 | Complement C3 | c3 | immunology | 4485-9 mg/dL 1..500
c4 | Complement C4 | c4 | immunology | 4498-2 mg/dL 0.5..200
hbsag | HBsAg | hepatitis b surface antigen, hepatitis b surface ag | serology | 5195-3 words presence
hbsab | HBsAb | hepatitis b surface antibody, anti hbs | serology | 10900-9 words presence
hcv_ab | HCV antibody | anti hcv, hepatitis c antibody | serology | 13955-0 words presence
hiv | HIV 1+2 Ab+Ag | hiv combo, hiv ag ab 4th gen | serology | 56888-1 words presence
rpr | RPR | reagin antibody | serology | 20507-0 words presence
sars_cov_2 | SARS-CoV-2 RNA | covid pcr, covid 19 pcr | serology | 94500-6 words presence
urine_ph | Urine pH | ph urine | urinalysis | 2756-5 [pH] 3..10
urine_sg | Urine specific gravity | sg urine, specific gravity, urine sg | urinalysis | 2965-2 {SG} 0.99..1.1
urine_glucose | Urine glucose | glucose urine | urinalysis | 25428-4 words presence; 5792-7 mg/dL 0..10000
urine_protein | Urine protein | protein urine | urinalysis | 20454-5 words presence; 5804-0 mg/dL 0..10000
urine_ketones | Urine ketones | ketones urine, ketones | urinalysis | 2514-8 words presence; 5797-6 mg/dL 0..1000
urine_bilirubin | Urine bilirubin | bilirubin urine | urinalysis | 5770-3 words presence
urine_urobilinogen | Urine urobilinogen | urobilinogen, urobilinogen urine | urinalysis | 20405-7 mg/dL 0..50
urine_nitrite | Urine nitrite | nitrite, nitrite urine, urine nitrites | urinalysis | 5802-4 words presence
urine_le | Urine leukocyte esterase | leukocyte esterase, urine leukocytes | urinalysis | 5799-2 words presence
urine_blood | Urine blood | blood urine, urine hemoglobin, urine occult blood | urinalysis | 5794-3 words presence
urine_color | Urine color | color urine, urine colour | urinalysis | 5778-6 words color
urine_appearance | Urine appearance | appearance urine | urinalysis | 5767-9 words clarity
urine_clarity | Urine clarity | clarity urine | urinalysis | 32167-9 words clarity
urine_wbc | Urine WBC | wbc hpf, urine wbc microscopy | urinalysis | 5821-4 /[HPF] 0..1000
urine_rbc | Urine RBC | rbc hpf, urine rbc microscopy | urinalysis | 13945-1 /[HPF] 0..1000
urine_epithelial | Urine epithelial cells | epithelial cells, urine squamous epithelial cells | urinalysis | 5787-7 /[HPF] 0..1000
urine_bacteria | Urine bacteria | bacteria urine, bacteria | urinalysis | 25145-4 words presence
urine_creatinine | Creatinine, urine | urine creatinine | urine_chemistry | 2161-8 mg/dL 1..1000
urine_microalbumin | Microalbumin, urine | microalbumin, urine microalbumin | urine_chemistry | 14957-5 mg/L 0..20000
uacr | Albumin/creatinine ratio, urine | acr, uacr, albumin creatinine ratio | urine_chemistry | 9318-7 mg/g{creat} 0..30000
upcr | Protein/creatinine ratio, urine | upcr, protein creatinine ratio | urine_chemistry | 2890-2 mg/g{creat} 0..50000
abo | ABO group | abo, blood group abo, blood group | blood_bank | 883-9 words abo
rh | Rh type | rhd, rh factor, rh d | blood_bank | 10331-7 words rh
`;

/**
 * key | name | LOINC, where there is one | other names | specimen. A panel without a code is known by its name alone.
 */
export const PANEL_TABLE = `
cbc | Complete blood count | 58410-2 | cbc, blood count, hematology, haematology, full blood count, cbc panel | blood
diff | CBC with differential | 69742-5 | complete blood count with differential, cbc with auto differential, differential, cbc differential, white cell differential | blood
bmp | Basic metabolic panel | 51990-0 | bmp, chemistry, electrolytes, renal function, basic metabolic profile, general chemistry, clinical chemistry, kidney function | blood
cmp | Comprehensive metabolic panel | 24323-8 | cmp, comprehensive metabolic profile, comp metabolic panel | blood
hepatic | Hepatic function panel | 24325-3 | liver panel, hepatic panel, liver function tests, lft, liver function, liver enzymes | blood
lipid | Lipid panel | 24331-1 | lipids, lipid profile, cholesterol panel | blood
thyroid | Thyroid panel | 24348-5 | thyroid function, thyroid function tests, thyroid studies, thyroid | blood
iron | Iron studies | 50190-8 | iron panel, iron status, iron profile, iron and tibc | blood
urinalysis | Urinalysis | 24356-8 | urinalysis complete, urine dipstick, urinalysis dipstick, urinalysis macroscopic, urinalysis with microscopy | urine
diabetes | Diabetes | | diabetes panel, glycemic control, diabetes monitoring | blood
inflammation | Inflammation | | inflammatory markers, inflammation markers | blood
cardiac | Cardiac markers | | cardiac panel, cardiac enzymes | blood
vitamins | Vitamins | | vitamin panel, vitamins and micronutrients, vitamins and minerals | blood
hormones | Hormones | | endocrinology, hormone panel, endocrine | blood
tumor | Tumor markers | | tumour markers | blood
coagulation | Coagulation | | coagulation studies, coagulation panel, hemostasis | blood
serology | Serology | | infectious disease, infectious disease serology | blood
immunology | Immunology | | immunoglobulins, immunology and serology | blood
autoimmune | Autoimmune | | autoimmune panel, rheumatology | blood
metabolic | Metabolic | | metabolic markers | blood
minerals | Minerals | | trace elements | blood
renal | Renal | | renal panel, kidney panel | blood
pancreas | Pancreas | | pancreatic enzymes | blood
toxicology | Toxicology | | heavy metals | blood
urine_chemistry | Urine chemistry | | urine albumin and creatinine | urine
blood_bank | Blood bank | | blood typing, blood group and type | blood
`;
