// What somebody would write instead: JSON in, a constant out.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
)

func main() {
	size, _ := strconv.Atoi(os.Args[1])
	answer := []byte("\"" + strings.Repeat("A", size-2) + "\"")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	panic(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Request string `json:"request"`
		}
		if json.NewDecoder(r.Body).Decode(&asked) != nil {
			w.WriteHeader(400)
			return
		}
		w.Header().Set("content-type", "application/json")
		w.Write(answer)
	})))
}
