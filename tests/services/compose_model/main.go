// Prints what the library inside `docker compose` makes of a compose file with the variables of an env file, as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: compose_model COMPOSE_FILE ENV_FILE"))
	}
	// The process's own environment stays out of it: docker compose would add it, and hide a variable that is missing.
	options, err := cli.NewProjectOptions(os.Args[1:2], cli.WithEnvFiles(os.Args[2]), cli.WithDotEnv)
	if err != nil {
		fail(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(project); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
