// Reads custom resources by the very types that their own projects publish, and refuses a field that these lack.
//
// Usage: manifests FILE... Kinds of Kubernetes itself are passed over: their schemas check them.
package main

import (
	"bytes"
	"fmt"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/yaml"
)

var kinds = map[string]func() any{
	"gateway.networking.k8s.io/v1 HTTPRoute":  func() any { return new(gateway.HTTPRoute) },
	"gateway.networking.k8s.io/v1 GRPCRoute":  func() any { return new(gateway.GRPCRoute) },
	"monitoring.coreos.com/v1 PrometheusRule": func() any { return new(monitoring.PrometheusRule) },
	"monitoring.coreos.com/v1 ServiceMonitor": func() any { return new(monitoring.ServiceMonitor) },
}

func main() {
	faults := 0
	for _, path := range os.Args[1:] {
		text, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		for _, document := range bytes.Split(text, []byte("\n---\n")) {
			var named struct{ APIVersion, Kind string }
			if err := yaml.Unmarshal(document, &named); err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
				faults++
				continue
			}
			name := named.APIVersion + " " + named.Kind
			made, known := kinds[name]
			if !known {
				continue
			}
			if err := yaml.UnmarshalStrict(document, made()); err != nil {
				fmt.Fprintf(os.Stderr, "%s: %s: %v\n", path, name, err)
				faults++
				continue
			}
			fmt.Printf("%s: %s is as its types say\n", path, name)
		}
	}
	if faults > 0 {
		os.Exit(1)
	}
}
