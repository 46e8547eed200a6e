import ca.uhn.fhir.batch2.jobs.config.Batch2JobsConfig;
import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.context.support.IValidationSupport;
import ca.uhn.fhir.jpa.api.IDaoRegistry;
import ca.uhn.fhir.jpa.api.config.JpaStorageSettings;
import ca.uhn.fhir.jpa.api.config.ThreadPoolFactoryConfig;
import ca.uhn.fhir.jpa.api.dao.IFhirSystemDao;
import ca.uhn.fhir.jpa.batch2.JpaBatch2Config;
import ca.uhn.fhir.jpa.binary.api.IBinaryStorageSvc;
import ca.uhn.fhir.jpa.binstore.DatabaseBinaryContentStorageSvcImpl;
import ca.uhn.fhir.jpa.config.r4.JpaR4Config;
import ca.uhn.fhir.jpa.config.util.HapiEntityManagerFactoryUtil;
import ca.uhn.fhir.jpa.config.util.ResourceCountCacheUtil;
import ca.uhn.fhir.jpa.dao.FulltextSearchSvcImpl;
import ca.uhn.fhir.jpa.dao.IFulltextSearchSvc;
import ca.uhn.fhir.jpa.dao.search.HSearchSortHelperImpl;
import ca.uhn.fhir.jpa.dao.search.IHSearchSortHelper;
import ca.uhn.fhir.jpa.model.config.PartitionSettings;
import ca.uhn.fhir.jpa.model.config.SubscriptionSettings;
import ca.uhn.fhir.jpa.model.dialect.HapiFhirH2Dialect;
import ca.uhn.fhir.jpa.provider.DaoRegistryResourceSupportedSvc;
import ca.uhn.fhir.jpa.provider.IJpaSystemProvider;
import ca.uhn.fhir.jpa.provider.JpaCapabilityStatementProvider;
import ca.uhn.fhir.jpa.search.DatabaseBackedPagingProvider;
import ca.uhn.fhir.jpa.search.IStaleSearchDeletingSvc;
import ca.uhn.fhir.jpa.search.StaleSearchDeletingSvcImpl;
import ca.uhn.fhir.jpa.subscription.channel.config.SubscriptionChannelConfig;
import ca.uhn.fhir.jpa.util.ResourceCountCache;
import ca.uhn.fhir.rest.api.IResourceSupportedSvc;
import ca.uhn.fhir.rest.server.IncomingRequestAddressStrategy;
import ca.uhn.fhir.rest.server.RestfulServer;
import ca.uhn.fhir.rest.server.provider.ResourceProviderFactory;
import ca.uhn.fhir.rest.server.util.ISearchParamRegistry;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import jakarta.persistence.EntityManagerFactory;
import java.net.InetSocketAddress;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/**
 * A HAPI FHIR JPA server, R4, on loopback: {@code Hapi PORT JDBC-URL}. Port 0 is any free one. It says {@code ready PORT} when it
 * serves, and ends with its standard input, so that it does not outlive whoever started it. Settings are HAPI's own defaults.
 */
public class Hapi {
  private static String jdbcUrl;

  public static void main(String[] args) throws Exception {
    jdbcUrl = args[1];
    ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.WARN);
    endWithInput();

    var spring = new AnnotationConfigApplicationContext();
    // HAPI's own beans refer to each other in circles.
    spring.setAllowCircularReferences(true);
    spring.register(Parts.class);
    spring.refresh();

    var jetty = new Server(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])));
    var handler = new ServletContextHandler("/");
    handler.addServlet(new ServletHolder(spring.getBean(RestfulServer.class)), "/fhir/*");
    jetty.setHandler(handler);
    jetty.start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try {
        jetty.stop();
      } catch (Exception ignored) {
        // It is going down in any case.
      }
      spring.close();
    }));
    System.out.println("ready " + ((ServerConnector) jetty.getConnectors()[0]).getLocalPort());
    jetty.join();
  }

  private static void endWithInput() {
    var watch = new Thread(() -> {
      try {
        while (System.in.read() >= 0) continue;
      } catch (java.io.IOException gone) {
        // The same as its end.
      }
      System.exit(0);
    });
    watch.setDaemon(true);
    watch.start();
  }

  /** What hapi-fhir-jpaserver-base wants to be given beside its own configuration classes. */
  @Configuration
  @EnableTransactionManagement
  @Import({
    JpaR4Config.class,
    ThreadPoolFactoryConfig.class,
    JpaBatch2Config.class,
    Batch2JobsConfig.class,
    SubscriptionChannelConfig.class
  })
  public static class Parts {
    @Bean
    JpaStorageSettings storageSettings() {
      return new JpaStorageSettings();
    }

    @Bean
    PartitionSettings partitionSettings() {
      return new PartitionSettings();
    }

    @Bean
    SubscriptionSettings subscriptionSettings() {
      return new SubscriptionSettings();
    }

    @Bean
    DataSource dataSource() {
      var pool = new BasicDataSource();
      pool.setUrl(jdbcUrl);
      pool.setUsername("sa");
      pool.setMaxTotal(20);
      return pool;
    }

    @Bean
    @Primary
    LocalContainerEntityManagerFactoryBean entityManagerFactory(
        DataSource database, ConfigurableListableBeanFactory beans, FhirContext fhir, JpaStorageSettings settings) {
      var factory = HapiEntityManagerFactoryUtil.newEntityManagerFactory(beans, fhir, settings);
      factory.setPersistenceUnitName("chartgate-hapi");
      factory.setDataSource(database);
      factory.setJpaPropertyMap(
          Map.of(
              "hibernate.dialect", HapiFhirH2Dialect.class.getName(),
              "hibernate.hbm2ddl.auto", "update",
              "hibernate.jdbc.batch_size", "20",
              "hibernate.search.enabled", "false",
              "hibernate.physical_naming_strategy",
                  "org.hibernate.boot.model.naming.CamelCaseToUnderscoresNamingStrategy"));
      return factory;
    }

    @Bean
    @Primary
    JpaTransactionManager transactionManager(EntityManagerFactory factory) {
      return new JpaTransactionManager(factory);
    }

    @Bean
    IFulltextSearchSvc fulltextSearch() {
      return new FulltextSearchSvcImpl();
    }

    @Bean
    IHSearchSortHelper sortHelper(ISearchParamRegistry registry) {
      return new HSearchSortHelperImpl(registry);
    }

    @Bean
    IStaleSearchDeletingSvc staleSearches() {
      return new StaleSearchDeletingSvcImpl();
    }

    @Bean
    IBinaryStorageSvc binaries() {
      return new DatabaseBinaryContentStorageSvcImpl();
    }

    @Bean
    IResourceSupportedSvc supportedTypes(IDaoRegistry daos) {
      return new DaoRegistryResourceSupportedSvc(daos);
    }

    @Bean(name = "myResourceCountsCache")
    ResourceCountCache counts(IFhirSystemDao<?, ?> dao) {
      return ResourceCountCacheUtil.newResourceCountCache(dao);
    }

    @Bean
    DatabaseBackedPagingProvider pages() {
      var pages = new DatabaseBackedPagingProvider();
      pages.setDefaultPageSize(20);
      pages.setMaximumPageSize(200);
      return pages;
    }

    @Bean
    @Primary
    RestfulServer server(
        IFhirSystemDao<?, ?> dao,
        IJpaSystemProvider system,
        ResourceProviderFactory types,
        JpaStorageSettings settings,
        ISearchParamRegistry registry,
        IValidationSupport validation,
        DatabaseBackedPagingProvider pages) {
      var server = new RestfulServer(dao.getContext());
      server.registerProviders(types.createProviders());
      server.registerProvider(system);
      var capabilities = new JpaCapabilityStatementProvider(server, dao, settings, registry, validation);
      capabilities.setImplementationDescription("HAPI FHIR R4, started by npm run ehr:hapi");
      server.setServerConformanceProvider(capabilities);
      server.setPagingProvider(pages);
      server.setServerAddressStrategy(new IncomingRequestAddressStrategy());
      return server;
    }
  }
}
