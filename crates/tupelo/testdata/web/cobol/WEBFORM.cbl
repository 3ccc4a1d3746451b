      * Reads fields of a form, and all of them one after the other.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBFORM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TEXT                     PIC X(4000) VALUE SPACES.
       01  WS-AT                       PIC S9(8) COMP VALUE 1.
       01  WS-NAME                     PIC X(40).
       01  WS-NAME-L                   PIC S9(8) COMP.
       01  WS-VALUE                    PIC X(20).
       01  WS-VALUE-L                  PIC S9(8) COMP.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-RESP2                    PIC S9(8) COMP.
       01  WS-N                        PIC ZZ9.
       01  WS-N2                       PIC ZZ9.
       01  WS-NL                       PIC X VALUE X'0A'.
       PROCEDURE DIVISION.
           MOVE SPACES TO WS-VALUE MOVE 20 TO WS-VALUE-L
           EXEC CICS WEB READ FORMFIELD('who') NAMELENGTH(3)
               VALUE(WS-VALUE) VALUELENGTH(WS-VALUE-L)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE 'who' TO WS-NAME PERFORM SHOW
           IF WS-RESP NOT = 16
               EXEC CICS WEB STARTBROWSE FORMFIELD END-EXEC
               PERFORM WITH TEST AFTER UNTIL WS-RESP NOT = 0
                   MOVE SPACES TO WS-NAME WS-VALUE
                   MOVE 40 TO WS-NAME-L MOVE 20 TO WS-VALUE-L
                   EXEC CICS WEB READNEXT FORMFIELD(WS-NAME)
                       NAMELENGTH(WS-NAME-L) VALUE(WS-VALUE)
                       VALUELENGTH(WS-VALUE-L)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM SHOW
               END-PERFORM
               EXEC CICS WEB ENDBROWSE FORMFIELD END-EXEC
           END-IF
           SUBTRACT 1 FROM WS-AT
           EXEC CICS WEB SEND FROM(WS-TEXT) FROMLENGTH(WS-AT)
               MEDIATYPE('text/plain') END-EXEC
           EXEC CICS RETURN END-EXEC.
       SHOW.
           MOVE WS-RESP TO WS-N MOVE WS-RESP2 TO WS-N2
           STRING WS-NAME DELIMITED BY '  ' WS-N WS-N2 ' '
               WS-VALUE WS-NL
               DELIMITED BY SIZE INTO WS-TEXT POINTER WS-AT.
