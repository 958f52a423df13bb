#lang racket
;; The whole language, as newcomers begin: what it loads asks for /etc/racket.
(define in (current-input-port))
(define out (current-output-port))

(define (unsigned n [from in]) (for/fold ([sum 0]) ([byte (read-bytes n from)]) (+ (* sum 256) byte)))
(define (signed n from)
  (define number (unsigned n from))
  (if (>= number (expt 2 (- (* 8 n) 1))) (- number (expt 2 (* 8 n))) number))
(define (text n from) (if (zero? n) "" (bytes->string/utf-8 (read-bytes n from))))
(define (many n from) (for/list ([_ n]) (value from)))
(define (pairs n from)
  (for/hash ([_ n])
    (define key (value from))
    (values key (value from))))

(define (value from)
  (define b (read-byte from))
  (cond
    [(< b #x80) b]
    [(< b #x90) (pairs (- b #x80) from)]
    [(< b #xa0) (many (- b #x90) from)]
    [(< b #xc0) (text (- b #xa0) from)]
    [(>= b #xe0) (- b 256)]
    [else
     (case b
       [(#xc0) 'null]
       [(#xc2) #f]
       [(#xc3) #t]
       [(#xcc #xcd #xce #xcf) (unsigned (expt 2 (- b #xcc)) from)]
       [(#xd0 #xd1 #xd2 #xd3) (signed (expt 2 (- b #xd0)) from)]
       [(#xd9 #xda #xdb) (text (unsigned (expt 2 (- b #xd9)) from) from)]
       [(#xdc #xdd) (many (unsigned (expt 2 (- b #xdb)) from) from)]
       [(#xde #xdf) (pairs (unsigned (expt 2 (- b #xdd)) from) from)])]))

(define (packed x)
  (if (string? x)
      (bytes-append (bytes #xd9 (string-length x)) (string->bytes/utf-8 x))
      (bytes-append (bytes #xce) (integer->integer-bytes x 4 #f #t))))
(define (answer . words)
  (define body (apply bytes-append (bytes (+ #x80 (quotient (length words) 2))) (map packed words)))
  (write-bytes (integer->integer-bytes (bytes-length body) 4 #f #t) out)
  (write-bytes body out)
  (flush-output out))

(let loop ()
  (define head (read-bytes 4 in))
  (unless (eof-object? head)
    (define message (value (open-input-bytes (read-bytes (integer-bytes->integer head #f #t) in))))
    (define req (hash-ref message "req" 0))
    (case (hash-ref message "type")
      [("hello") (answer "type" "hello" "proto" 1 "name" "tiny-racket")]
      [("decide") (answer "type" "act" "req" req "choice" (modulo req (length (hash-ref message "legal"))))])
    (loop)))
