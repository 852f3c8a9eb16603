// Signs on and pairs, approves the next push, or shows a passcode. Requires only Go 1.19.
//
// usage: authenticator sign-on USERNAME | approve | passcode; the password is the first line of standard input
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
)

type object = map[string]any

type message struct {
	ID     *int                     `json:"id"`
	Result object                   `json:"result"`
	Error  *refusal                 `json:"error"`
	Params struct{ Payload object } `json:"params"`
}

type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type daemon struct {
	socket  *net.UnixConn
	lines   *bufio.Reader
	calls   int
	changed []object
}

func connect() (*daemon, error) {
	runtime := os.Getenv("XDG_RUNTIME_DIR")
	if runtime == "" {
		runtime = fmt.Sprintf("/run/user/%d", os.Geteuid())
	}
	places := []string{"/run/mfad/mfad.sock", runtime + "/mfad/mfad.sock"}
	if path := os.Getenv("MFAD_SOCKET"); path != "" {
		places = []string{path}
	}
	for _, path := range places {
		socket, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			continue
		}
		if err := makeSure(socket); err != nil {
			return nil, err
		}
		return &daemon{socket: socket, lines: bufio.NewReader(socket)}, nil
	}
	return nil, fmt.Errorf("cannot reach the daemon at %s", strings.Join(places, " or "))
}

// Verifies that the listener is root, the service or the caller. authctl also checks the directories.
func makeSure(socket *net.UnixConn) error {
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var peer *syscall.Ucred
	var failure error
	err = raw.Control(func(descriptor uintptr) {
		peer, failure = syscall.GetsockoptUcred(int(descriptor), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err != nil || failure != nil {
		return errors.New("cannot identify the listening program")
	}
	var owner syscall.Stat_t
	isService := syscall.Lstat("/run/mfad/owner", &owner) == nil && peer.Uid == owner.Uid
	if peer.Uid != 0 && int(peer.Uid) != os.Geteuid() && !isService {
		return fmt.Errorf("the program behind the socket runs as user %d", peer.Uid)
	}
	return nil
}

func (d *daemon) call(method string, params object) (object, error) {
	d.calls++
	request := object{"jsonrpc": "2.0", "id": d.calls, "method": method, "params": params}
	if err := json.NewEncoder(d.socket).Encode(request); err != nil {
		return nil, err
	}
	for {
		reply, err := d.next()
		switch {
		case err != nil:
			return nil, err
		case reply.Error != nil:
			return nil, errors.New(reply.Error.Message)
		case reply.ID != nil:
			return reply.Result, nil
		default:
			d.changed = append(d.changed, reply.Params.Payload)
		}
	}
}

func (d *daemon) next() (reply message, err error) {
	line, err := d.lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &reply)
	}
	return reply, err
}

// Returns the next changed object that has this state.
func (d *daemon) change(state string) (object, error) {
	for {
		for len(d.changed) > 0 {
			first := d.changed[0]
			d.changed = d.changed[1:]
			if first["state"] == state {
				return first, nil
			}
		}
		event, err := d.next()
		if err != nil {
			return nil, err
		}
		d.changed = append(d.changed, event.Params.Payload)
	}
}

func (d *daemon) signOn(username string) (string, error) {
	step, err := d.call("login.start", object{"method": "signon"})
	if err == nil && step["node"] == "continue" {
		password, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		values := object{"username": username, "password": strings.TrimSuffix(password, "\n")}
		step, err = d.call("login.next", object{"login": step["login"], "values": values})
	}
	if err != nil {
		return "", err
	}
	if step["node"] != "success" {
		return "", fmt.Errorf("%v: %v", step["node"], step["message"])
	}
	if pairing, _ := step["pairing"].(object); pairing != nil {
		if _, err := d.call("pairing.approve", object{"pairing": pairing["id"]}); err != nil {
			return "", err
		}
	}
	user, _ := step["user"].(object)
	return fmt.Sprintf("signed on as %v", user["username"]), nil
}

func (d *daemon) approve() (string, error) {
	// For tests only: approves every push, without asking the user.
	if _, err := d.call("event.subscribe", object{"topics": []string{"notification"}}); err != nil {
		return "", err
	}
	listed, err := d.call("notification.list", object{"state": "pending"})
	if err != nil {
		return "", err
	}
	var push object
	if waiting, _ := listed["notifications"].([]any); len(waiting) > 0 {
		push, _ = waiting[0].(object)
	} else if push, err = d.change("pending"); err != nil {
		return "", err
	}
	_, err = d.call("notification.approve", object{"notification": push["id"]})
	return fmt.Sprintf("approved: %v", push["title"]), err
}

func (d *daemon) passcode() (string, error) {
	result, err := d.call("passcode.get", object{})
	return fmt.Sprint(result["passcode"]), err
}

func run(arguments []string) (string, error) {
	d, err := connect()
	if err != nil {
		return "", err
	}
	defer d.socket.Close()
	switch command := strings.Join(arguments, " "); {
	case len(arguments) == 2 && arguments[0] == "sign-on":
		return d.signOn(arguments[1])
	case command == "approve":
		return d.approve()
	case command == "passcode":
		return d.passcode()
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
