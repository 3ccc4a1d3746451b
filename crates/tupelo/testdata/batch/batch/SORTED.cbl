      * SORT with files of the store, and of the machine.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SORTED.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT TEXT-IN ASSIGN TO UT-S-TEXTFILE
               ORGANIZATION IS LINE SEQUENTIAL.
           SELECT ORDERED ASSIGN TO ORDERED
               ORGANIZATION IS INDEXED ACCESS MODE IS SEQUENTIAL
               RECORD KEY IS O-KEY FILE STATUS IS FS.
           SELECT WORK ASSIGN TO SORTWK01.
       DATA DIVISION.
       FILE SECTION.
       FD  TEXT-IN.
       01  T-REC           PIC X(20).
       FD  ORDERED.
       01  O-REC.
           05  O-KEY       PIC X(6).
           05  O-TEXT      PIC X(14).
       SD  WORK.
       01  W-REC.
           05  W-KEY       PIC X(6).
           05  W-TEXT      PIC X(14).
       WORKING-STORAGE SECTION.
       01  FS              PIC XX.
       01  DONE            PIC X VALUE 'N'.
       PROCEDURE DIVISION.
       MAIN-LINE.
           SORT WORK ON ASCENDING KEY W-KEY
               USING TEXT-IN GIVING ORDERED
           IF SORT-RETURN = 0
               DISPLAY 'sorted'
           END-IF
           OPEN INPUT ORDERED
           PERFORM UNTIL DONE = 'Y'
               READ ORDERED
                   AT END MOVE 'Y' TO DONE
                   NOT AT END DISPLAY O-KEY ' ' O-TEXT
               END-READ
           END-PERFORM
           CLOSE ORDERED
           SORT WORK ON DESCENDING KEY W-KEY
               USING ORDERED GIVING TEXT-IN
           OPEN INPUT TEXT-IN
           READ TEXT-IN
           DISPLAY 'first ' T-REC
           CLOSE TEXT-IN
           GOBACK.
