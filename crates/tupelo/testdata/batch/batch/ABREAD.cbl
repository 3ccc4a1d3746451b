      * What the program that ended abnormally has left.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ABREAD.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT PLAIN ASSIGN TO ABENDED
               ORGANIZATION IS INDEXED RECORD KEY IS P-KEY.
       DATA DIVISION.
       FILE SECTION.
       FD  PLAIN.
       01  P-REC.
           05  P-KEY       PIC 9(6).
           05  P-TEXT      PIC X(14).
       WORKING-STORAGE SECTION.
       01  DONE            PIC X VALUE 'N'.
       PROCEDURE DIVISION.
       MAIN-LINE.
           OPEN INPUT PLAIN
           PERFORM UNTIL DONE = 'Y'
               READ PLAIN
                   AT END MOVE 'Y' TO DONE
                   NOT AT END DISPLAY 'kept ' P-KEY
               END-READ
           END-PERFORM
           CLOSE PLAIN
           OPEN OUTPUT PLAIN
           DISPLAY 'never here'
           GOBACK.
