      * A security exit: permits a client that says please, and starts
      * ECHO whatever else it asks for.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. POLITE.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  EXIT-TRANSID            PIC X(4).
           05  EXIT-DATA               PIC X(40).
           05  EXIT-ACTION             PIC X(2).
           05  EXIT-TIME               PIC X(6).
           05  EXIT-FAMILY             PIC 9(4) BINARY.
           05  EXIT-PORT               PIC 9(4) BINARY.
           05  EXIT-ADDRESS            PIC 9(8) BINARY.
           05  EXIT-PERMIT             PIC X.
           05  EXIT-TELL               PIC X.
           05  EXIT-TERMID             PIC X(4).
           05  EXIT-SOCKET             PIC 9(4) BINARY.
           05  EXIT-USERID             PIC X(8).
           05  EXIT-LISTENER-ADDRESS   PIC 9(8) BINARY.
           05  EXIT-LISTENER-PORT      PIC 9(4) BINARY.
           05  EXIT-LISTENER-IPV6      PIC X(16).
           05  EXIT-LISTENER-SCOPE     PIC 9(8) BINARY.
           05  EXIT-IPV6               PIC X(16).
           05  EXIT-SCOPE              PIC 9(8) BINARY.
           05  FILLER                  PIC X(40).
           05  EXIT-MESSAGE-LENGTH     PIC 9(4) BINARY.
       PROCEDURE DIVISION.
           IF EXIT-DATA(1:6) = 'please'
               MOVE '1' TO EXIT-PERMIT
               MOVE 'ECHO' TO EXIT-TRANSID
           ELSE
               MOVE '0' TO EXIT-PERMIT
               MOVE '1' TO EXIT-TELL
           END-IF
           EXEC CICS RETURN END-EXEC.
