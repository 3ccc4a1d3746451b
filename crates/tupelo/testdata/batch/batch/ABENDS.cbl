      * A program that ends abnormally behind three WRITEs and before
      * a CLOSE.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ABENDS.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT PLAIN ASSIGN TO ABENDED
               ORGANIZATION IS INDEXED RECORD KEY IS P-KEY
               FILE STATUS IS FS.
           SELECT TEXT-OUT ASSIGN TO TEXTFILE FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  PLAIN.
       01  P-REC.
           05  P-KEY       PIC 9(6).
           05  P-TEXT      PIC X(14).
       FD  TEXT-OUT.
       01  T-REC           PIC X(8).
       WORKING-STORAGE SECTION.
       01  FS              PIC XX.
       01  NOWHERE         PIC X(8) VALUE 'NOSUCHPG'.
       PROCEDURE DIVISION.
       MAIN-LINE.
           OPEN OUTPUT PLAIN TEXT-OUT
           MOVE SPACES TO P-REC
           PERFORM VARYING P-KEY FROM 1 BY 1 UNTIL P-KEY > 3
               WRITE P-REC
               MOVE P-KEY TO T-REC
               WRITE T-REC
           END-PERFORM
           DISPLAY 'three written ' FS
           CALL NOWHERE
           DISPLAY 'never here'
           CLOSE PLAIN
           GOBACK.
