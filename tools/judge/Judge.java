import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.context.support.ConceptValidationOptions;
import ca.uhn.fhir.context.support.DefaultProfileValidationSupport;
import ca.uhn.fhir.context.support.IValidationSupport;
import ca.uhn.fhir.context.support.ValidationSupportContext;
import ca.uhn.fhir.parser.LenientErrorHandler;
import ca.uhn.fhir.validation.FhirValidator;
import ca.uhn.fhir.validation.ValidationOptions;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.hl7.fhir.common.hapi.validation.support.CommonCodeSystemsTerminologyService;
import org.hl7.fhir.common.hapi.validation.support.InMemoryTerminologyServerValidationSupport;
import org.hl7.fhir.common.hapi.validation.support.PrePopulatedValidationSupport;
import org.hl7.fhir.common.hapi.validation.support.SnapshotGeneratingValidationSupport;
import org.hl7.fhir.common.hapi.validation.support.UnknownCodeSystemWarningValidationSupport;
import org.hl7.fhir.common.hapi.validation.support.ValidationSupportChain;
import org.hl7.fhir.common.hapi.validation.validator.FhirDefaultPolicyAdvisor;
import org.hl7.fhir.common.hapi.validation.validator.FhirInstanceValidator;
import org.hl7.fhir.instance.model.api.IBaseResource;
import org.hl7.fhir.r4.model.CodeSystem;
import org.hl7.fhir.r4.model.StructureDefinition;
import org.hl7.fhir.r4.model.ValueSet;
import org.hl7.fhir.r5.elementmodel.Element;
import org.hl7.fhir.r5.elementmodel.Manager;
import org.hl7.fhir.r5.model.CanonicalResource;
import org.hl7.fhir.r5.model.CanonicalType;
import org.hl7.fhir.r5.utils.validation.IResourceValidator;
import org.hl7.fhir.r5.utils.validation.IValidatorResourceFetcher;
import org.hl7.fhir.r5.utils.validation.constants.BestPracticeWarningLevel;
import org.hl7.fhir.r5.utils.validation.constants.ReferenceValidationPolicy;

/**
 * The HAPI validator as a judge: {@code Judge THREADS GUIDE…}, each guide a FHIR NPM package as a .tgz or an unpacked folder. A guide
 * named earlier wins over a later one, and all of them over what HAPI brings along.
 *
 * <p>NDJSON in: {@code {id, resource, profiles?}} is judged and answered {@code {id, issues}}; {@code {id, text, profiles?}} the same
 * with the resource as text; {@code {id, snapshotOf}} is answered {@code {id, structure}}. The first line out is {@code {ready, loaded}}.
 * Answers come in any order. It ends with its standard input.
 */
public class Judge {
  private static final Set<String> KINDS =
      Set.of("StructureDefinition", "ValueSet", "CodeSystem", "ConceptMap", "NamingSystem", "SearchParameter", "Questionnaire");
  /** HL7's own writing keeps the digits of decimals, and so must what is judged. */
  private static final Gson JSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

  /** How HAPI names the value set in which it did not find a code: 'Title' (canonical). */
  private static final Pattern VALUE_SET_NAMED = Pattern.compile("value set '[^']*' \\((\\S+?)\\)");

  private static final Pattern CODINGS_LISTED = Pattern.compile("\\(codes = (.*)\\)$");

  private static final Pattern RESOURCE_NAMED =
      Pattern.compile("(?:^|/)([A-Z][A-Za-z]+)/([A-Za-z0-9.-]{1,64})(?:/_history/[A-Za-z0-9.-]{1,64})?$");

  private static FhirContext fhir;
  private static PrintStream answers;
  private static IValidationSupport chain;
  private static CommonCodeSystemsTerminologyService commonSystems;
  private static FhirValidator validator;

  public static void main(String[] args) throws Exception {
    answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    // Whatever a library prints must not stand among the answers.
    System.setOut(System.err);
    ((Logger) org.slf4j.LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
    fhir = FhirContext.forR4();
    fhir.setParserErrorHandler(new LenientErrorHandler(false));

    var parts = new ArrayList<IValidationSupport>();
    var loaded = new JsonArray();
    for (int at = 1; at < args.length; at++) {
      var guide = new PrePopulatedValidationSupport(fhir);
      loaded.add(load(Path.of(args[at]), guide));
      parts.add(guide);
    }
    chain = chainOf(parts);
    validator = fhir.newValidator().registerValidatorModule(instanceValidator());

    var ready = new JsonObject();
    ready.addProperty("ready", true);
    ready.add("loaded", loaded);
    say(ready);
    answerAll(Integer.parseInt(args[0]));
  }

  private static IValidationSupport chainOf(List<IValidationSupport> guides) {
    var unknownSystems = new UnknownCodeSystemWarningValidationSupport(fhir);
    // LOINC and SNOMED CT are named by most guides and held by none: an unknown system is no defect of the resource.
    unknownSystems.setNonExistentCodeSystemSeverity(IValidationSupport.IssueSeverity.WARNING);
    var parts = new ArrayList<IValidationSupport>(guides);
    parts.add(new CoreDefinitions());
    commonSystems = new CommonCodeSystemsTerminologyService(fhir);
    parts.add(commonSystems);
    parts.add(new InMemoryTerminologyServerValidationSupport(fhir));
    parts.add(new SnapshotGeneratingValidationSupport(fhir));
    parts.add(unknownSystems);
    return new ValidationSupportChain(
        ValidationSupportChain.CacheConfiguration.defaultValues(), parts.toArray(new IValidationSupport[0]));
  }

  /** HL7's definitions of R4, found also by a canonical that names their version, as recent guides do. */
  private static final class CoreDefinitions extends DefaultProfileValidationSupport {
    CoreDefinitions() {
      super(fhir);
    }

    private static String plain(String canonical) {
      return canonical != null && canonical.endsWith("|4.0.1") ? canonical.substring(0, canonical.length() - 6) : canonical;
    }

    @Override
    public <T extends IBaseResource> T fetchResource(Class<T> type, String canonical) {
      return super.fetchResource(type, plain(canonical));
    }

    @Override
    public IBaseResource fetchStructureDefinition(String canonical) {
      return super.fetchStructureDefinition(plain(canonical));
    }

    @Override
    public IBaseResource fetchValueSet(String canonical) {
      return super.fetchValueSet(plain(canonical));
    }

    @Override
    public IBaseResource fetchCodeSystem(String canonical) {
      return super.fetchCodeSystem(plain(canonical));
    }
  }

  /** HAPI would not look at references at all. The type that a reference names is judged; whether its target exists is not. */
  private static final class TypesOfReferences extends FhirDefaultPolicyAdvisor {
    @Override
    public ReferenceValidationPolicy policyForReference(
        IResourceValidator by, Object context, String path, String url, ReferenceDestinationType kind) {
      return ReferenceValidationPolicy.CHECK_TYPE_IF_EXISTS;
    }
  }

  /**
   * There is no server to ask. Of a resource elsewhere only the type is known that its address names, which is enough to judge the
   * type of a reference; no address is called wrong.
   */
  private static final class OnlyTypesElsewhere implements IValidatorResourceFetcher {
    @Override
    public Element fetch(IResourceValidator by, Object context, String url) throws IOException {
      var named = RESOURCE_NAMED.matcher(url);
      if (!named.find() || !fhir.getResourceTypes().contains(named.group(1))) return null;
      var json = "{\"resourceType\":\"" + named.group(1) + "\",\"id\":\"" + named.group(2) + "\"}";
      return Manager.parseSingle(
          by.getContext(), new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)), Manager.FhirFormat.JSON);
    }

    @Override
    public boolean resolveURL(
        IResourceValidator by,
        Object context,
        String path,
        String url,
        String type,
        boolean isCanonical,
        List<CanonicalType> targets) {
      return true;
    }

    @Override
    public byte[] fetchRaw(IResourceValidator by, String url) {
      return null;
    }

    @Override
    public IValidatorResourceFetcher setLocale(Locale locale) {
      return this;
    }

    @Override
    public CanonicalResource fetchCanonicalResource(IResourceValidator by, Object context, String url) {
      return null;
    }

    @Override
    public boolean fetchesCanonicalResource(IResourceValidator by, String url) {
      return false;
    }

    @Override
    public Set<ResourceVersionInformation> fetchCanonicalResourceVersions(IResourceValidator by, Object context, String url) {
      return Set.of();
    }
  }

  private static FhirInstanceValidator instanceValidator() {
    var module = new FhirInstanceValidator(chain);
    module.setAnyExtensionsAllowed(true);
    module.setErrorForUnknownProfiles(false);
    module.setBestPracticeWarningLevel(BestPracticeWarningLevel.Ignore);
    module.setNoTerminologyChecks(false);
    module.setValidatorPolicyAdvisor(new TypesOfReferences());
    module.setValidatorResourceFetcher(new OnlyTypesElsewhere());
    return module;
  }

  /** Reads the definitions of a package: the files beside its package.json, not those of its folders (examples). */
  private static int load(Path guide, PrePopulatedValidationSupport into) throws IOException {
    int count = 0;
    if (Files.isDirectory(guide)) {
      var folder = Files.isDirectory(guide.resolve("package")) ? guide.resolve("package") : guide;
      try (var files = Files.list(folder)) {
        for (var file : files.filter(one -> one.toString().endsWith(".json")).sorted().toList())
          count += add(Files.readString(file), into);
      }
      return count;
    }
    try (var tar = new TarArchiveInputStream(new GZIPInputStream(new BufferedInputStream(Files.newInputStream(guide))))) {
      for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry())
        if (entry.getName().matches("package/[^/]+\\.json"))
          count += add(new String(tar.readAllBytes(), StandardCharsets.UTF_8), into);
    }
    return count;
  }

  private static int add(String text, PrePopulatedValidationSupport into) {
    var json = JsonParser.parseString(text);
    if (!json.isJsonObject()) return 0;
    var type = json.getAsJsonObject().get("resourceType");
    if (type == null || !KINDS.contains(type.getAsString())) return 0;
    into.addResource(fhir.newJsonParser().parseResource(text));
    return 1;
  }

  private static void answerAll(int threads) throws Exception {
    // Bounded: whoever asks faster than is judged waits, rather than filling the memory.
    var pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(threads * 4),
            new ThreadPoolExecutor.CallerRunsPolicy());
    try (var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (var line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.isBlank()) continue;
        var question = JsonParser.parseString(line).getAsJsonObject();
        pool.execute(() -> say(answer(question)));
      }
    }
    pool.shutdown();
    pool.awaitTermination(1, TimeUnit.HOURS);
  }

  private static JsonObject answer(JsonObject question) {
    var answer = new JsonObject();
    answer.add("id", question.get("id"));
    try {
      if (question.has("snapshotOf")) answer.add("structure", snapshotOf(question.get("snapshotOf").getAsString()));
      else answer.add("issues", judge(question));
    } catch (Exception | StackOverflowError thrown) {
      answer.addProperty("failed", String.valueOf(thrown));
    }
    return answer;
  }

  private static JsonArray judge(JsonObject question) {
    var options = new ValidationOptions();
    if (question.has("profiles"))
      for (JsonElement profile : question.getAsJsonArray("profiles")) options.addProfile(profile.getAsString());
    var text = question.has("text") ? question.get("text").getAsString() : JSON.toJson(question.get("resource"));
    var issues = new JsonArray();
    for (var message : validator.validateWithResult(text, options).getMessages()) {
      var issue = new JsonObject();
      issue.addProperty("severity", message.getSeverity().getCode());
      issue.addProperty("location", message.getLocationString());
      issue.addProperty("message", message.getMessage());
      issue.addProperty("messageId", message.getMessageId());
      var named = VALUE_SET_NAMED.matcher(message.getMessage());
      if (named.find()) {
        if (!canBeExpanded(named.group(1), 0)) issue.addProperty("notExpandable", named.group(1));
        else if (hasMember(named.group(1), message.getMessage())) issue.addProperty("hasMember", true);
      }
      issues.add(issue);
    }
    return issues;
  }

  /**
   * Whether every part of a value set is at hand. HAPI takes a part that is missing for an empty one, and then refuses every code.
   */
  private static boolean canBeExpanded(String canonical, int depth) {
    var found = depth > 20 ? null : chain.fetchValueSet(canonical);
    if (!(found instanceof ValueSet)) found = depth > 20 ? null : chain.fetchValueSet(canonical.replaceFirst("\\|.*$", ""));
    if (!(found instanceof ValueSet set)) return false;
    if (!set.hasCompose()) return set.hasExpansion();
    return Stream.concat(set.getCompose().getInclude().stream(), set.getCompose().getExclude().stream())
        .allMatch(
            part ->
                part.getValueSet().stream().allMatch(inner -> canBeExpanded(inner.getValue(), depth + 1))
                    && (!part.hasSystem() || part.hasConcept() || isHeld(part)));
  }

  /** Whether one of the codings that a message lists is in the value set after all: one that HAPI does not know may hide it. */
  private static boolean hasMember(String canonical, String message) {
    var listed = CODINGS_LISTED.matcher(message);
    if (!listed.find()) return false;
    for (var coding : listed.group(1).split(", ")) {
      int hash = coding.lastIndexOf('#');
      if (hash < 1) continue;
      var found =
          chain.validateCode(
              new ValidationSupportContext(chain),
              new ConceptValidationOptions(),
              coding.substring(0, hash),
              coding.substring(hash + 1),
              null,
              canonical.replaceFirst("\\|.*$", ""));
      if (found != null && found.isOk()) return true;
    }
    return false;
  }

  /** Whether the codes of an include are known: by a whole code system, or by the rules that HAPI has for a few systems. */
  private static boolean isHeld(ValueSet.ConceptSetComponent part) {
    if (chain.fetchCodeSystem(part.getSystem()) instanceof CodeSystem held && held.hasConcept())
      return held.getContent() == CodeSystem.CodeSystemContentMode.COMPLETE;
    return !part.hasFilter() && commonSystems.isCodeSystemSupported(new ValidationSupportContext(chain), part.getSystem());
  }

  private static JsonElement snapshotOf(String url) {
    var found = (StructureDefinition) chain.fetchStructureDefinition(url);
    if (found == null) throw new IllegalArgumentException("no StructureDefinition " + url);
    var whole =
        found.hasSnapshot()
            ? found
            : (StructureDefinition)
                chain.generateSnapshot(new ValidationSupportContext(chain), found.copy(), url, "", found.getName());
    return JsonParser.parseString(fhir.newJsonParser().encodeResourceToString(whole));
  }

  private static synchronized void say(JsonObject line) {
    answers.println(JSON.toJson(line));
    answers.flush();
  }
}
