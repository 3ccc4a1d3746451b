      * Files of the machine: variable records by OCCURS DEPENDING and
      * by RECORD VARYING, lines, records of a wrong length.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SEQVAR.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT ODOFILE ASSIGN TO UT-S-ODOFILE FILE STATUS IS FS.
           SELECT VARFILE ASSIGN TO UT-S-ODOFILE FILE STATUS IS FS.
           SELECT LINES-OUT ASSIGN TO TEXTFILE
               ORGANIZATION IS LINE SEQUENTIAL FILE STATUS IS FS.
           SELECT FIXFILE ASSIGN TO UT-S-FIXFILE FILE STATUS IS FS.
           SELECT SHORTF ASSIGN TO UT-S-SHORTF FILE STATUS IS FS.
           SELECT TWO-TOGETHER ASSIGN TO UT-S-BOTH FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  ODOFILE RECORDING MODE IS V.
       01  O-REC.
           05  O-COUNT     PIC 99.
           05  O-ITEM      PIC X(3) OCCURS 1 TO 5 TIMES
                           DEPENDING ON O-COUNT.
       FD  VARFILE RECORD IS VARYING IN SIZE FROM 5 TO 17 CHARACTERS
           DEPENDING ON V-SIZE.
       01  V-REC           PIC X(17).
       FD  LINES-OUT.
       01  L-REC           PIC X(20).
       FD  FIXFILE.
       01  F-REC           PIC X(8).
       FD  SHORTF.
       01  S-REC           PIC X(5).
       FD  TWO-TOGETHER.
       01  T-REC           PIC X(8).
       WORKING-STORAGE SECTION.
       01  FS              PIC XX.
       01  V-SIZE          PIC 9(4).
       PROCEDURE DIVISION.
       MAIN-LINE.
           OPEN OUTPUT ODOFILE
           DISPLAY 'open ' FS
           MOVE 1 TO O-COUNT
           MOVE 'aaa' TO O-ITEM(1)
           WRITE O-REC
           DISPLAY 'write 1 ' FS
           MOVE 5 TO O-COUNT
           MOVE 'bbb' TO O-ITEM(2)
           MOVE 'ccc' TO O-ITEM(3)
           MOVE 'ddd' TO O-ITEM(4)
           MOVE 'eee' TO O-ITEM(5)
           WRITE O-REC
           DISPLAY 'write 5 ' FS
           CLOSE ODOFILE
           OPEN EXTEND ODOFILE
           DISPLAY 'open extend ' FS
           MOVE 2 TO O-COUNT
           WRITE O-REC
           DISPLAY 'write 2 ' FS
           CLOSE ODOFILE
           OPEN INPUT ODOFILE
           PERFORM 4 TIMES
               MOVE 1 TO O-COUNT
               READ ODOFILE
                   AT END DISPLAY 'at end ' FS
                   NOT AT END DISPLAY 'read ' FS ' ' O-REC
               END-READ
           END-PERFORM
           CLOSE ODOFILE
           OPEN INPUT VARFILE
           PERFORM 3 TIMES
               READ VARFILE
               DISPLAY 'read ' FS ' ' V-SIZE ' ' V-REC(1:V-SIZE)
           END-PERFORM
           CLOSE VARFILE
           OPEN OUTPUT VARFILE
           MOVE 'abcdefghijklmnopqrst' TO V-REC
           MOVE 6 TO V-SIZE
           WRITE V-REC
           DISPLAY 'write of 6 ' FS
           MOVE 18 TO V-SIZE
           WRITE V-REC
           DISPLAY 'write of 18 ' FS
           CLOSE VARFILE
           OPEN OUTPUT LINES-OUT
           DISPLAY 'open lines ' FS
           MOVE 'first line' TO L-REC
           WRITE L-REC
           MOVE SPACES TO L-REC
           WRITE L-REC
           MOVE 'twenty letters ago!!' TO L-REC
           WRITE L-REC
           CLOSE LINES-OUT
           OPEN EXTEND LINES-OUT
           MOVE 'appended' TO L-REC
           WRITE L-REC
           CLOSE LINES-OUT
           OPEN INPUT LINES-OUT
           PERFORM 5 TIMES
               READ LINES-OUT
                   AT END DISPLAY 'at end ' FS
                   NOT AT END DISPLAY 'line ' FS ' ' L-REC '.'
               END-READ
           END-PERFORM
           CLOSE LINES-OUT
           OPEN OUTPUT FIXFILE
           MOVE 'eight888' TO F-REC
           WRITE F-REC
           MOVE 'nine 999' TO F-REC
           WRITE F-REC
           CLOSE FIXFILE
           OPEN I-O FIXFILE
           DISPLAY 'open i-o ' FS
           WRITE F-REC
           DISPLAY 'write in i-o ' FS
           REWRITE F-REC
           DISPLAY 'rewrite before read ' FS
           READ FIXFILE
           MOVE 'EIGHT' TO F-REC
           REWRITE F-REC
           DISPLAY 'rewrite ' FS
           READ FIXFILE
           DISPLAY 'read ' FS ' ' F-REC
           READ FIXFILE
           DISPLAY 'read ' FS
           READ FIXFILE
           DISPLAY 'read ' FS
           CLOSE FIXFILE
           OPEN INPUT SHORTF
           PERFORM 3 TIMES
               MOVE ALL '*' TO S-REC
               READ SHORTF
               DISPLAY 'short ' FS ' ' S-REC
           END-PERFORM
           CLOSE SHORTF
           OPEN INPUT TWO-TOGETHER
           PERFORM 5 TIMES
               READ TWO-TOGETHER
                   AT END DISPLAY 'at end ' FS
                   NOT AT END DISPLAY 'both ' FS ' ' T-REC
               END-READ
           END-PERFORM
           CLOSE TWO-TOGETHER
           GOBACK.
