       IDENTIFICATION DIVISION.
       PROGRAM-ID. ECHO1.
      * Exchanges versions and one record with an APINGD, through CPI-C.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  CONVERSATION-ID         PIC X(8).
       01  SYM-DEST-NAME           PIC X(8) VALUE "ECHO".
       01  RC                      PIC S9(9) COMP-5 VALUE 0.
       01  RTS                     PIC S9(9) COMP-5.
       01  DATA-RECEIVED           PIC S9(9) COMP-5.
       01  STATUS-RECEIVED         PIC S9(9) COMP-5.
       01  RECEIVED-LENGTH         PIC S9(9) COMP-5.
       01  REQUESTED-LENGTH        PIC S9(9) COMP-5 VALUE 32767.
       01  SEND-LENGTH             PIC S9(9) COMP-5.
       01  CM-FLUSH                PIC S9(9) COMP-5 VALUE 1.
       01  VERSION-RECORD          PIC X(3) VALUE X"01022B".
       01  TEXT-RECORD             PIC X(19)
                                   VALUE "a record from COBOL".
       01  RECEIVE-BUFFER          PIC X(32767).
       01  RECORD-LENGTH           PIC S9(9) COMP-5.
       PROCEDURE DIVISION.
           CALL "CMINIT" USING CONVERSATION-ID SYM-DEST-NAME RC
           PERFORM CHECK-RC
           CALL "CMALLC" USING CONVERSATION-ID RC
           PERFORM CHECK-RC
           CALL "CMSPTR" USING CONVERSATION-ID CM-FLUSH RC
           PERFORM CHECK-RC
           MOVE 3 TO SEND-LENGTH
           CALL "CMSEND" USING CONVERSATION-ID VERSION-RECORD
               SEND-LENGTH RTS RC
           PERFORM CHECK-RC
           PERFORM TAKE-TURN
           MOVE 19 TO SEND-LENGTH
           CALL "CMSEND" USING CONVERSATION-ID TEXT-RECORD
               SEND-LENGTH RTS RC
           PERFORM CHECK-RC
           PERFORM TAKE-TURN
           DISPLAY RECEIVE-BUFFER(1:RECORD-LENGTH)
           CALL "CMSDT" USING CONVERSATION-ID CM-FLUSH RC
           PERFORM CHECK-RC
           CALL "CMDEAL" USING CONVERSATION-ID RC
           PERFORM CHECK-RC
           GOBACK.
       TAKE-TURN.
           CALL "CMPTR" USING CONVERSATION-ID RC
           PERFORM CHECK-RC
           MOVE 0 TO STATUS-RECEIVED
           PERFORM UNTIL STATUS-RECEIVED = 1
               CALL "CMRCV" USING CONVERSATION-ID RECEIVE-BUFFER
                   REQUESTED-LENGTH DATA-RECEIVED RECEIVED-LENGTH
                   STATUS-RECEIVED RTS RC
               PERFORM CHECK-RC
               IF DATA-RECEIVED = 2
                   MOVE RECEIVED-LENGTH TO RECORD-LENGTH
               END-IF
           END-PERFORM.
       CHECK-RC.
           IF RC NOT = 0
               DISPLAY "RETURN CODE " RC
               MOVE 1 TO RETURN-CODE
               STOP RUN
           END-IF.
