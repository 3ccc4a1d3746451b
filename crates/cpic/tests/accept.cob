       IDENTIFICATION DIVISION.
       PROGRAM-ID. ACCEPTOR.
      * Calls READY of the partner, so that there is a link, and is
      * called itself: accepts one conversation and gives its records
      * back.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  CID                     PIC X(8).
       01  RC                      PIC S9(9) COMP-5.
       01  RTS                     PIC S9(9) COMP-5.
       01  DATA-RECEIVED           PIC S9(9) COMP-5.
       01  STATUS-RECEIVED         PIC S9(9) COMP-5.
       01  RECEIVED-LENGTH         PIC S9(9) COMP-5.
       01  LEN                     PIC S9(9) COMP-5.
       01  NUM                     PIC S9(9) COMP-5 VALUE 1.
       01  LEVEL-FOUND             PIC S9(9) COMP-5.
       01  KIND-FOUND              PIC S9(9) COMP-5.
       01  SHOWN                   PIC 9.
       01  BUFFER                  PIC X(32767).
       01  PARTNER                 PIC X(17).
       01  TP                      PIC X(64).
       01  MODE-FOUND              PIC X(8).
       01  ROOM                    PIC S9(9) COMP-5 VALUE 32767.
       PROCEDURE DIVISION.
           CALL "CMINIT" USING CID "READY   " RC
           PERFORM CHECK
           CALL "CMALLC" USING CID RC
           PERFORM CHECK
           CALL "CMDEAL" USING CID RC
           PERFORM CHECK
           CALL "CMACCP" USING CID RC
           PERFORM CHECK
           CALL "CMEPLN" USING CID PARTNER LEN RC
           PERFORM CHECK
           DISPLAY PARTNER(1:LEN) " " WITH NO ADVANCING
           CALL "CMEMN" USING CID MODE-FOUND LEN RC
           PERFORM CHECK
           DISPLAY MODE-FOUND(1:LEN) " " WITH NO ADVANCING
           CALL "CMETPN" USING CID TP LEN RC
           PERFORM CHECK
           DISPLAY TP(1:LEN) " " WITH NO ADVANCING
           CALL "CMESL" USING CID LEVEL-FOUND RC
           PERFORM CHECK
           MOVE LEVEL-FOUND TO SHOWN
           DISPLAY SHOWN " " WITH NO ADVANCING
           CALL "CMECT" USING CID KIND-FOUND RC
           PERFORM CHECK
           MOVE KIND-FOUND TO SHOWN
           DISPLAY SHOWN
           CALL "CMSPTR" USING CID NUM RC
           PERFORM CHECK
           PERFORM UNTIL RC = 18
               CALL "CMRCV" USING CID BUFFER ROOM DATA-RECEIVED
                   RECEIVED-LENGTH STATUS-RECEIVED RTS RC
               IF RC NOT = 18
                   PERFORM CHECK
                   PERFORM ANSWER
               END-IF
           END-PERFORM
           DISPLAY "done"
           STOP RUN.

       ANSWER.
           IF DATA-RECEIVED = 2
               MOVE RECEIVED-LENGTH TO LEN
           END-IF
           IF STATUS-RECEIVED = 2 OR 4
               CALL "CMCFMD" USING CID RC
               PERFORM CHECK
           END-IF
           IF STATUS-RECEIVED = 4
               MOVE 18 TO RC
           END-IF
           IF STATUS-RECEIVED = 1
               CALL "CMSEND" USING CID BUFFER LEN RTS RC
               PERFORM CHECK
               CALL "CMPTR" USING CID RC
               PERFORM CHECK
           END-IF.

       CHECK.
           IF RC NOT = 0
               DISPLAY "RETURN CODE " RC
               MOVE 1 TO RETURN-CODE
               STOP RUN
           END-IF.
