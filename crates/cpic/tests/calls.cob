       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLS.
      * Every call of cmc.h from COBOL, against a partner whose program
      * does what the first letter of the first record says. Displays
      * "done" when all was as documented.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  CID                     PIC X(8).
       01  NO-CID                  PIC X(8) VALUE "NOTHERE!".
       01  DEST                    PIC X(8) VALUE "PARTNER".
       01  RC                      PIC S9(9) COMP-5.
       01  WANTED                  PIC S9(9) COMP-5 VALUE 0.
       01  WHAT                    PIC X(30).
       01  RTS                     PIC S9(9) COMP-5.
       01  DATA-RECEIVED           PIC S9(9) COMP-5.
       01  STATUS-RECEIVED         PIC S9(9) COMP-5.
       01  LEN                     PIC S9(9) COMP-5.
       01  NUM                     PIC S9(9) COMP-5.
       01  STATE                   PIC S9(9) COMP-5.
       01  WANTED-STATE            PIC S9(9) COMP-5.
       01  WANTED-STATUS           PIC S9(9) COMP-5.
       01  RECORD-OUT              PIC X(40).
       01  BUFFER                  PIC X(32767).
       01  ROOM                    PIC S9(9) COMP-5 VALUE 32767.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM CHARACTERISTICS
           PERFORM ECHO-A-RECORD
           PERFORM CONFIRM-WHAT-COMES
           PERFORM ERRORS
           DISPLAY "done"
           STOP RUN.

       CHARACTERISTICS.
           MOVE "unknown destination" TO WHAT
           MOVE 24 TO WANTED
           CALL "CMINIT" USING CID "NOWHERE " RC
           PERFORM CHECK
           MOVE "no such conversation" TO WHAT
           MOVE 24 TO WANTED
           CALL "CMALLC" USING NO-CID RC
           PERFORM CHECK
           MOVE "CMINIT" TO WHAT
           CALL "CMINIT" USING CID "        " RC
           PERFORM CHECK
           MOVE "CMALLC without partner" TO WHAT
           MOVE 19 TO WANTED
           CALL "CMALLC" USING CID RC
           PERFORM CHECK
           MOVE "CMSPLN" TO WHAT
           MOVE 10 TO LEN
           CALL "CMSPLN" USING CID "NET.SERVER" LEN RC
           PERFORM CHECK
           MOVE "CMSMN" TO WHAT
           MOVE 8 TO LEN
           CALL "CMSMN" USING CID "#BATCH  " LEN RC
           PERFORM CHECK
           MOVE "CMSTPN" TO WHAT
           MOVE 7 TO LEN
           CALL "CMSTPN" USING CID "PARTNER" LEN RC
           PERFORM CHECK
           MOVE "CMSTPN too long" TO WHAT
           MOVE 65 TO LEN
           MOVE 24 TO WANTED
           CALL "CMSTPN" USING CID BUFFER LEN RC
           PERFORM CHECK
           MOVE "CMEPLN" TO WHAT
           MOVE SPACES TO BUFFER
           CALL "CMEPLN" USING CID BUFFER LEN RC
           PERFORM CHECK
           IF LEN NOT = 10 OR BUFFER(1:10) NOT = "NET.SERVER"
               PERFORM WRONG
           END-IF
           MOVE "CMEMN" TO WHAT
           MOVE SPACES TO BUFFER
           CALL "CMEMN" USING CID BUFFER LEN RC
           PERFORM CHECK
           IF LEN NOT = 6 OR BUFFER(1:6) NOT = "#BATCH"
               PERFORM WRONG
           END-IF
           MOVE "CMETPN" TO WHAT
           MOVE SPACES TO BUFFER
           CALL "CMETPN" USING CID BUFFER LEN RC
           PERFORM CHECK
           IF LEN NOT = 7 OR BUFFER(1:7) NOT = "PARTNER"
               PERFORM WRONG
           END-IF
           MOVE "CMSCT" TO WHAT
           MOVE 0 TO NUM
           CALL "CMSCT" USING CID NUM RC
           PERFORM CHECK
           MOVE "CMSF" TO WHAT
           MOVE 1 TO NUM
           CALL "CMSF" USING CID NUM RC
           PERFORM CHECK
           MOVE "CMECT" TO WHAT
           CALL "CMECT" USING CID NUM RC
           PERFORM CHECK
           IF NUM NOT = 0
               PERFORM WRONG
           END-IF
           MOVE "CMSCST" TO WHAT
           MOVE 2 TO NUM
           CALL "CMSCST" USING CID NUM RC
           PERFORM CHECK
           MOVE "CMSCST out of range" TO WHAT
           MOVE 3 TO NUM
           MOVE 24 TO WANTED
           CALL "CMSCST" USING CID NUM RC
           PERFORM CHECK
           MOVE "CMSCSU" TO WHAT
           MOVE 10 TO LEN
           CALL "CMSCSU" USING CID "ALICE     " LEN RC
           PERFORM CHECK
           MOVE "CMSCSP" TO WHAT
           CALL "CMSCSP" USING CID "SECRET    " LEN RC
           PERFORM CHECK
           MOVE "CMSRC" TO WHAT
           MOVE 0 TO NUM
           CALL "CMSRC" USING CID NUM RC
           PERFORM CHECK
           MOVE "CMSED" TO WHAT
           CALL "CMSED" USING CID NUM RC
           PERFORM CHECK
           MOVE "CMSLD" TO WHAT
           MOVE 3 TO LEN
           CALL "CMSLD" USING CID "log" LEN RC
           PERFORM CHECK
           MOVE "CMESUI" TO WHAT
           MOVE SPACES TO BUFFER
           CALL "CMESUI" USING CID BUFFER LEN RC
           PERFORM CHECK
           IF LEN NOT = 5 OR BUFFER(1:5) NOT = "ALICE"
               PERFORM WRONG
           END-IF
           MOVE "CMEMBS" TO WHAT
           CALL "CMEMBS" USING NUM RC
           PERFORM CHECK
           IF NUM NOT = 32767
               PERFORM WRONG
           END-IF
           MOVE "CMCNVO" TO WHAT
           MOVE "Az 09+" TO BUFFER
           MOVE 6 TO LEN
           CALL "CMCNVO" USING BUFFER LEN RC
           PERFORM CHECK
           IF BUFFER(1:6) NOT = X"C1A940F0F94E"
               PERFORM WRONG
           END-IF
           MOVE "CMCNVI" TO WHAT
           CALL "CMCNVI" USING BUFFER LEN RC
           PERFORM CHECK
           IF BUFFER(1:6) NOT = "Az 09+"
               PERFORM WRONG
           END-IF
           MOVE "CMSSL" TO WHAT
           MOVE 1 TO NUM
           CALL "CMSSL" USING CID NUM RC
           PERFORM CHECK
           MOVE "CMESL" TO WHAT
           MOVE 0 TO NUM
           CALL "CMESL" USING CID NUM RC
           PERFORM CHECK
           IF NUM NOT = 1
               PERFORM WRONG
           END-IF
           MOVE 2 TO WANTED-STATE
           PERFORM CHECK-STATE
           MOVE "CMSEND too early" TO WHAT
           MOVE 25 TO WANTED
           CALL "CMSEND" USING CID BUFFER LEN RTS RC
           PERFORM CHECK
           MOVE "CMCANC" TO WHAT
           CALL "CMCANC" USING CID RC
           PERFORM CHECK.

       BEGIN-CONVERSATION.
           MOVE "CMINIT" TO WHAT
           CALL "CMINIT" USING CID DEST RC
           PERFORM CHECK
           MOVE "CMSSL" TO WHAT
           MOVE 1 TO NUM
           CALL "CMSSL" USING CID NUM RC
           PERFORM CHECK
           MOVE "CMALLC" TO WHAT
           CALL "CMALLC" USING CID RC
           PERFORM CHECK
           MOVE 3 TO WANTED-STATE
           PERFORM CHECK-STATE.

       SEND-RECORD.
           MOVE "CMSEND" TO WHAT
           CALL "CMSEND" USING CID RECORD-OUT LEN RTS RC
           PERFORM CHECK.

       ECHO-A-RECORD.
           PERFORM BEGIN-CONVERSATION
           MOVE "Echo this" TO RECORD-OUT
           MOVE 9 TO LEN
           PERFORM SEND-RECORD
           MOVE "CMFLUS" TO WHAT
           CALL "CMFLUS" USING CID RC
           PERFORM CHECK
           MOVE "CMCFM" TO WHAT
           CALL "CMCFM" USING CID RTS RC
           PERFORM CHECK
           MOVE "CMSPTR" TO WHAT
           MOVE 1 TO NUM
           CALL "CMSPTR" USING CID NUM RC
           PERFORM CHECK
           MOVE "CMPTR" TO WHAT
           CALL "CMPTR" USING CID RC
           PERFORM CHECK
           MOVE 4 TO WANTED-STATE
           PERFORM CHECK-STATE
           MOVE "CMRTS" TO WHAT
           CALL "CMRTS" USING CID RC
           PERFORM CHECK
           MOVE "CMSRT" TO WHAT
           MOVE 0 TO NUM
           CALL "CMSRT" USING CID NUM RC
           PERFORM CHECK
           MOVE 1 TO WANTED-STATUS
           PERFORM RECEIVE-STATUS
           IF LEN NOT = 9 OR BUFFER(1:9) NOT = "Echo this"
               PERFORM WRONG
           END-IF
           MOVE "CMTRTS" TO WHAT
           CALL "CMTRTS" USING CID RTS RC
           PERFORM CHECK
           MOVE "CMCFMD in send state" TO WHAT
           MOVE 25 TO WANTED
           CALL "CMCFMD" USING CID RC
           PERFORM CHECK
           MOVE "CMSST" TO WHAT
           MOVE 4 TO NUM
           CALL "CMSST" USING CID NUM RC
           PERFORM CHECK
           MOVE "CMSDT" TO WHAT
           MOVE 2 TO NUM
           CALL "CMSDT" USING CID NUM RC
           PERFORM CHECK
           PERFORM SEND-RECORD
           PERFORM CHECK-GONE.

       CONFIRM-WHAT-COMES.
           PERFORM BEGIN-CONVERSATION
           MOVE "Deallocate" TO RECORD-OUT
           MOVE 10 TO LEN
           PERFORM SEND-RECORD
           MOVE 4 TO WANTED-STATUS
           PERFORM RECEIVE-STATUS
           MOVE 8 TO WANTED-STATE
           PERFORM CHECK-STATE
           MOVE "CMCFMD" TO WHAT
           CALL "CMCFMD" USING CID RC
           PERFORM CHECK
           PERFORM CHECK-GONE.

       ERRORS.
           PERFORM BEGIN-CONVERSATION
           MOVE "Sorry" TO RECORD-OUT
           MOVE 5 TO LEN
           PERFORM SEND-RECORD
           MOVE "CMCFM answered by an error" TO WHAT
           MOVE 22 TO WANTED
           CALL "CMCFM" USING CID RTS RC
           PERFORM CHECK
           MOVE "CMCANC" TO WHAT
           CALL "CMCANC" USING CID RC
           PERFORM CHECK
           PERFORM BEGIN-CONVERSATION
           MOVE "Wait" TO RECORD-OUT
           MOVE 4 TO LEN
           PERFORM SEND-RECORD
           MOVE "CMSERR" TO WHAT
           CALL "CMSERR" USING CID RTS RC
           PERFORM CHECK
           MOVE "CMSDT" TO WHAT
           MOVE 3 TO NUM
           CALL "CMSDT" USING CID NUM RC
           PERFORM CHECK
           MOVE "CMDEAL" TO WHAT
           CALL "CMDEAL" USING CID RC
           PERFORM CHECK
           PERFORM CHECK-GONE
           PERFORM BEGIN-CONVERSATION
           MOVE "Abend" TO RECORD-OUT
           MOVE 5 TO LEN
           PERFORM SEND-RECORD
           MOVE "CMCFM answered by an abend" TO WHAT
           MOVE 17 TO WANTED
           CALL "CMCFM" USING CID RTS RC
           PERFORM CHECK
           PERFORM CHECK-GONE.

       RECEIVE-STATUS.
           MOVE 0 TO STATUS-RECEIVED LEN
           MOVE "CMRCV" TO WHAT
           PERFORM UNTIL STATUS-RECEIVED NOT = 0
               CALL "CMRCV" USING CID BUFFER ROOM DATA-RECEIVED NUM
                   STATUS-RECEIVED RTS RC
               PERFORM CHECK
               IF DATA-RECEIVED = 2
                   MOVE NUM TO LEN
               END-IF
           END-PERFORM
           IF STATUS-RECEIVED NOT = WANTED-STATUS
               DISPLAY "status " STATUS-RECEIVED
               PERFORM WRONG
           END-IF.

       CHECK-STATE.
           MOVE "CMECS" TO WHAT
           CALL "CMECS" USING CID STATE RC
           PERFORM CHECK
           IF STATE NOT = WANTED-STATE
               DISPLAY "state " STATE " not " WANTED-STATE
               PERFORM WRONG
           END-IF.

       CHECK-GONE.
           MOVE "gone" TO WHAT
           MOVE 24 TO WANTED
           CALL "CMECS" USING CID STATE RC
           PERFORM CHECK.

       CHECK.
           IF RC NOT = WANTED
               DISPLAY WHAT ": return code " RC " not " WANTED
               PERFORM WRONG
           END-IF
           MOVE 0 TO WANTED
           MOVE -1 TO RC.

       WRONG.
           DISPLAY "not as documented: " WHAT
           MOVE 1 TO RETURN-CODE
           STOP RUN.
