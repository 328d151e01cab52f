// A webhook receiver in Go without dependencies. Run it: WEBHOOK_SECRET=whsec_... PORT=8080 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance = 300 * time.Second
	maxBytes  = 300_000 // A delivery has at most 256 KiB.
)

// isGenuine reports whether the delivery was signed recently with your key. body must be the unchanged bytes.
func isGenuine(key []byte, header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if id == "" || err != nil {
		return false
	}
	age := time.Since(time.Unix(int64(seconds), 0))
	if age > tolerance || age < -tolerance {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	// During a rotation of the secret there are two signatures. One of them must match.
	for _, signature := range strings.Split(header.Get("webhook-signature"), " ") {
		given, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(signature, "v1,"))
		if strings.HasPrefix(signature, "v1,") && err == nil && hmac.Equal(given, expected) {
			return true
		}
	}
	return false
}

type receiver struct {
	key []byte
	// A delivery can arrive twice. Store the ids in your database, in the transaction that does the work.
	seen sync.Map
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.ContentLength > maxBytes {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBytes))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if !isGenuine(r.key, request.Header, body) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var delivery struct{ ID, Event string }
	if err := json.Unmarshal(body, &delivery); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if _, again := r.seen.LoadOrStore(delivery.ID, true); !again {
		fmt.Println(delivery.Event, delivery.ID)
	}
	// If the work takes longer than a few seconds, respond first.
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(key) < 24 {
		log.Fatal("Set WEBHOOK_SECRET to the secret that webhooks.create returned.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{Handler: &receiver{key: key}, ReadTimeout: 30 * time.Second}
	log.Fatal(server.Serve(listener))
}
