      * A converter: decode makes the COMMAREA of WEBPLAIN of the body,
      * encode makes an answer by hand of what that program has left. A
      * body that begins with an order does what the order says.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBCNVT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY DFHWBUCO.
       01  WS-CRLF                     PIC X(2) VALUE X'0D0A'.
       01  WS-COUNT                    PIC 9(2).
       01  WS-AT                       PIC S9(8) COMP.
       LINKAGE SECTION.
       COPY DFHWBCDO.
       01  LK-BODY                     PIC X(200).
       01  LK-METHOD                   PIC X(10).
       01  LK-PLAIN.
           03  LK-PLAIN-COUNT          PIC 9(4).
           03  LK-PLAIN-TEXT           PIC X(40).
       01  LK-ANSWER.
           03  LK-ANSWER-LENGTH        PIC 9(8) COMP.
           03  LK-ANSWER-TEXT          PIC X(300).
       PROCEDURE DIVISION.
           EVALUATE CONVERTER-FUNCTION ALSO CONVERTER-EYECATCHER
               WHEN URP-DECODE ALSO DECODE-EYECATCHER-INIT
                   PERFORM DECODE-REQUEST
               WHEN URP-ENCODE ALSO ENCODE-EYECATCHER-INIT
                   PERFORM ENCODE-ANSWER
               WHEN OTHER
                   MOVE URP-INVALID TO CONVERTER-RESPONSE
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
       DECODE-REQUEST.
           MOVE URP-OK TO DECODE-RESPONSE
           SET ADDRESS OF LK-BODY TO DECODE-DATA-PTR
           IF DECODE-ENTRY-COUNT = 1
               EVALUATE LK-BODY(1:6)
                   WHEN 'wrong:'
                       MOVE URP-EXCEPTION TO DECODE-RESPONSE
                       MOVE URP-CORRUPT-CLIENT-DATA TO DECODE-REASON
                   WHEN 'guard:'
                       MOVE URP-EXCEPTION TO DECODE-RESPONSE
                       MOVE URP-SECURITY-FAILURE TO DECODE-REASON
                   WHEN 'other:'
                       MOVE URP-DISASTER TO DECODE-RESPONSE
                   WHEN 'crash:'
                       EXEC CICS ABEND ABCODE('CNVT') END-EXEC
                   WHEN 'lost: '
                       MOVE 'NOTTHERE' TO DECODE-SERVER-PROGRAM
                   WHEN 'self: '
                       MOVE 'WEBECHO' TO DECODE-SERVER-PROGRAM
               END-EVALUATE
               EXEC CICS GETMAIN SET(ADDRESS OF LK-PLAIN) FLENGTH(44)
                   INITIMG(WS-CRLF) END-EXEC
               MOVE 0 TO LK-PLAIN-COUNT
               MOVE SPACES TO LK-PLAIN-TEXT
               IF DECODE-INPUT-DATA-LEN > 0
                   MOVE LK-BODY(1:DECODE-INPUT-DATA-LEN)
                       TO LK-PLAIN-TEXT
               END-IF
               SET DECODE-DATA-PTR TO ADDRESS OF LK-PLAIN
               EXEC CICS FREEMAIN DATA(LK-BODY) END-EXEC
           END-IF
           MOVE 44 TO DECODE-OUTPUT-DATA-LEN.
       ENCODE-ANSWER.
           MOVE URP-OK TO ENCODE-RESPONSE
           SET ADDRESS OF LK-PLAIN TO ENCODE-DATA-PTR
           EVALUATE LK-PLAIN-TEXT(1:6)
               WHEN 'twice:'
                   IF ENCODE-ENTRY-COUNT < 2
                       MOVE URP-OK-LOOP TO ENCODE-RESPONSE
                       EXEC CICS RETURN END-EXEC
                   END-IF
               WHEN 'again:'
                   MOVE URP-OK-LOOP TO ENCODE-RESPONSE
                   EXEC CICS RETURN END-EXEC
               WHEN 'mute: '
                   MOVE URP-EXCEPTION TO ENCODE-RESPONSE
           END-EVALUATE
           EXEC CICS GETMAIN SET(ADDRESS OF LK-ANSWER) FLENGTH(304)
               END-EXEC
           MOVE ENCODE-ENTRY-COUNT TO WS-COUNT
           MOVE 1 TO WS-AT
           STRING 'HTTP/1.0 202 Converted' WS-CRLF
               'Content-Type: text/plain' WS-CRLF
               'X-Token: ' ENCODE-USER-TOKEN WS-CRLF WS-CRLF
               LK-PLAIN-COUNT ' ' WS-COUNT ' '
               FUNCTION TRIM(LK-PLAIN-TEXT)
               DELIMITED BY SIZE INTO LK-ANSWER-TEXT
               WITH POINTER WS-AT
           ADD 3 TO WS-AT GIVING LK-ANSWER-LENGTH
           SET ENCODE-DATA-PTR TO ADDRESS OF LK-ANSWER.
