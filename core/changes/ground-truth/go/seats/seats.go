// Package seats names and finds seats.
package seats

import (
	"fmt"
	"strings"
)

// Name writes a seat as a row's letter and a number from 1.
func Name(row, seat int) string {
	return fmt.Sprintf("%c%d", 'A'+row, seat+1)
}

// Together finds the first n free seats next to each other, or returns -1.
func Together(row string, n int) int {
	return strings.Index(row, strings.Repeat(".", n))
}

// Free counts the free seats.
func Free(rows []string) int {
	count := 0
	for i := 1; i < len(rows); i++ {
		count += strings.Count(rows[i], ".")
	}
	return count
}
