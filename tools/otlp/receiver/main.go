// The OTLP receiver of the OpenTelemetry Collector, with nothing behind it: what it takes it prints, as the collector
// itself writes it. The first argument is the address to listen at.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	check(confmap.NewFromStringMap(map[string]any{
		"protocols": map[string]any{"http": map[string]any{"endpoint": os.Args[1]}},
	}).Unmarshal(config))
	settings := receiver.Settings{
		ID:                component.NewID(factory.Type()),
		TelemetrySettings: componenttest.NewNopTelemetrySettings(),
		BuildInfo:         component.NewDefaultBuildInfo(),
	}
	traces := must(consumer.NewTraces(func(_ context.Context, taken ptrace.Traces) error {
		fmt.Printf("traces %s\n", must((&ptrace.JSONMarshaler{}).MarshalTraces(taken)))
		return nil
	}))
	metrics := must(consumer.NewMetrics(func(_ context.Context, taken pmetric.Metrics) error {
		fmt.Printf("metrics %s\n", must((&pmetric.JSONMarshaler{}).MarshalMetrics(taken)))
		return nil
	}))
	host := componenttest.NewNopHost()
	for _, one := range []component.Component{
		must(factory.CreateTraces(ctx, settings, config, traces)),
		must(factory.CreateMetrics(ctx, settings, config, metrics)),
	} {
		check(one.Start(ctx, host))
		defer one.Shutdown(ctx)
	}
	fmt.Println("ready")
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt)
	<-ended
}
