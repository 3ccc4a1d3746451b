      * USE procedures: for a file, for a mode; AT END and INVALID KEY
      * go before them; where nothing is stated the program ends.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. DECLAR.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT PLAIN ASSIGN TO DECLARED
               ORGANIZATION IS INDEXED ACCESS MODE IS DYNAMIC
               RECORD KEY IS P-KEY FILE STATUS IS FS.
           SELECT TEXT-IN ASSIGN TO NODD FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  PLAIN.
       01  P-REC.
           05  P-KEY       PIC X(6).
           05  P-TEXT      PIC X(14).
       FD  TEXT-IN.
       01  T-REC           PIC X(8).
       WORKING-STORAGE SECTION.
       01  FS              PIC XX.
       PROCEDURE DIVISION.
       DECLARATIVES.
       PLAIN-ERROR SECTION.
           USE AFTER STANDARD ERROR PROCEDURE ON PLAIN.
       PLAIN-TOLD.
           DISPLAY 'declarative of the file ' FS.
       INPUT-ERROR SECTION.
           USE AFTER STANDARD EXCEPTION PROCEDURE ON INPUT.
       INPUT-TOLD.
           DISPLAY 'declarative of input ' FS.
       END DECLARATIVES.
       MAIN-PART SECTION.
       MAIN-LINE.
           OPEN INPUT TEXT-IN
           OPEN I-O PLAIN
           DISPLAY 'open ' FS
           MOVE 'K00001one' TO P-REC
           WRITE P-REC
               INVALID KEY DISPLAY 'invalid key'
               NOT INVALID KEY DISPLAY 'written ' FS
           END-WRITE
           WRITE P-REC
               INVALID KEY DISPLAY 'invalid key ' FS
               NOT INVALID KEY DISPLAY 'written'
           END-WRITE
           WRITE P-REC
           DISPLAY 'after the declarative ' FS
           READ PLAIN NEXT AT END DISPLAY 'at end' END-READ
           READ PLAIN NEXT AT END DISPLAY 'at end ' FS END-READ
           READ PLAIN NEXT AT END DISPLAY 'at end' END-READ
           CLOSE PLAIN
           READ PLAIN NEXT AT END DISPLAY 'at end' END-READ
           MOVE 4 TO RETURN-CODE
           STOP RUN.
