// Signs on and pairs, approves the next push, or shows a passcode. An example of a client.
//
// usage: authenticator sign-on USERNAME | approve | passcode; the password is the first line of standard input
package main

import (
	"bufio"
	"errors"
	"fmt"
	"mfad"
	"os"
	"strings"
)

func signOn(daemon *mfad.Connection, username string) (string, error) {
	step, err := daemon.Call("login.start", mfad.Object{"method": "signon"})
	if err == nil && step["node"] == "continue" {
		password, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		values := mfad.Object{"username": username, "password": strings.TrimSuffix(password, "\n")}
		step, err = daemon.Call("login.next", mfad.Object{"login": step["login"], "values": values})
	}
	if err != nil {
		return "", err
	}
	if step["node"] != "success" {
		return "", fmt.Errorf("%v: %v", step["node"], step["message"])
	}
	if pairing, _ := step["pairing"].(mfad.Object); pairing != nil {
		if _, err := daemon.Call("pairing.approve", mfad.Object{"pairing": pairing["id"]}); err != nil {
			return "", err
		}
	}
	user, _ := step["user"].(mfad.Object)
	return fmt.Sprintf("signed on as %v", user["username"]), nil
}

func approve(daemon *mfad.Connection) (string, error) {
	// For tests only: approves every push, without asking the user.
	push, err := daemon.NextPush(0)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("approved: %v", push["title"]), daemon.Approve(push)
}

func run(arguments []string) (string, error) {
	daemon, err := mfad.Connect()
	if err != nil {
		return "", err
	}
	defer daemon.Close()
	switch command := strings.Join(arguments, " "); {
	case len(arguments) == 2 && arguments[0] == "sign-on":
		return signOn(daemon, arguments[1])
	case command == "approve":
		return approve(daemon)
	case command == "passcode":
		return daemon.Passcode("")
	}
	return "", errors.New("usage: authenticator sign-on USERNAME | approve | passcode")
}

func main() {
	said, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(said)
}
