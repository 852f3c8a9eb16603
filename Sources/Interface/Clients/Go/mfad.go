// Package mfad is a client of mfad's control interface, JSON-RPC 2.0 on a Unix socket. It requires only Go 1.19.
package mfad

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// Object is an object of the interface; "authctl rpc rpc.discover" describes its members.
type Object = map[string]any

// Refused is an error that the daemon returned.
type Refused struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    Object `json:"data"`
}

func (r *Refused) Error() string { return r.Message }

// Connection is a connection to the daemon, for one goroutine.
type Connection struct {
	// Timeout is the limit of each call.
	Timeout time.Duration

	socket  *net.UnixConn
	lines   *bufio.Reader
	calls   int
	changed []event
}

type event struct {
	Subscription string `json:"subscription"`
	Payload      Object `json:"payload"`
}

type message struct {
	ID     *int     `json:"id"`
	Result Object   `json:"result"`
	Error  *Refused `json:"error"`
	Params event    `json:"params"`
}

// Connect connects to the daemon: at $MFAD_SOCKET, else at the system socket, else at the user's own.
func Connect() (*Connection, error) {
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
		if err := verify(socket); err != nil {
			socket.Close()
			return nil, err
		}
		return &Connection{Timeout: time.Minute, socket: socket, lines: bufio.NewReader(socket)}, nil
	}
	return nil, fmt.Errorf("cannot reach the daemon at %s", strings.Join(places, " or "))
}

// Close ends the connection.
func (c *Connection) Close() error { return c.socket.Close() }

// Verifies that the listener is root, the service or the caller. authctl also checks the directories.
func verify(socket *net.UnixConn) error {
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

// Call calls a method and returns its result. After a timeout the connection is unusable.
func (c *Connection) Call(method string, params Object) (Object, error) {
	c.calls++
	if params == nil {
		params = Object{}
	}
	request := Object{"jsonrpc": "2.0", "id": c.calls, "method": method, "params": params}
	if err := c.socket.SetDeadline(time.Now().Add(c.Timeout)); err != nil {
		return nil, err
	}
	if err := json.NewEncoder(c.socket).Encode(request); err != nil {
		return nil, err
	}
	for {
		reply, err := c.next()
		switch {
		case err != nil:
			return nil, err
		case reply.Error != nil:
			return nil, reply.Error
		case reply.ID != nil:
			return reply.Result, nil
		default:
			c.changed = append(c.changed, reply.Params)
		}
	}
}

func (c *Connection) next() (reply message, err error) {
	line, err := c.lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &reply)
	}
	return reply, err
}

// NextPush returns a pending push, or waits for the next one. A timeout of 0 means no limit.
func (c *Connection) NextPush(timeout time.Duration) (Object, error) {
	made, err := c.Call("event.subscribe", Object{"topics": []string{"notification"}})
	if err != nil {
		return nil, err
	}
	listed, err := c.Call("notification.list", Object{"state": "pending"})
	if err != nil {
		return nil, err
	}
	var push Object
	if waiting, _ := listed["notifications"].([]any); len(waiting) > 0 {
		push, _ = waiting[0].(Object)
	} else if push, err = c.change("pending", timeout); err != nil {
		return nil, err
	}
	_, err = c.Call("event.unsubscribe", Object{"subscription": made["subscription"]})
	c.changed = nil
	return push, err
}

// Returns the next changed object that has this state.
func (c *Connection) change(state string, timeout time.Duration) (Object, error) {
	var deadline time.Time
	if timeout > 0 {
		deadline = time.Now().Add(timeout)
	}
	if err := c.socket.SetDeadline(deadline); err != nil {
		return nil, err
	}
	for {
		for _, each := range c.changed {
			if each.Payload["state"] == state {
				return each.Payload, nil
			}
		}
		changed, err := c.next()
		if err != nil {
			return nil, err
		}
		c.changed = []event{changed.Params}
	}
}

// Approve approves a push, with the number that the sign-on page shows if it shows one.
func (c *Connection) Approve(push Object, number ...int) error {
	params := Object{"notification": push["id"]}
	if len(number) > 0 {
		params["number"] = number[0]
	}
	_, err := c.Call("notification.approve", params)
	return err
}

// Passcode returns the current passcode of an account, or of the only account if the name is empty.
func (c *Connection) Passcode(account string) (string, error) {
	params := Object{}
	if account != "" {
		params["account"] = account
	}
	result, err := c.Call("passcode.get", params)
	if err != nil {
		return "", err
	}
	passcode, _ := result["passcode"].(string)
	return passcode, nil
}
