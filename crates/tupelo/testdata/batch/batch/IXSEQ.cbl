      * An indexed file in sequential access: order of keys, REWRITE
      * and DELETE behind a READ, EXTEND, variable records.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. IXSEQ.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT PLAIN ASSIGN TO PLAIN
               ORGANIZATION IS INDEXED ACCESS MODE IS SEQUENTIAL
               RECORD KEY IS P-KEY FILE STATUS IS FS.
           SELECT VARKEY ASSIGN TO VARKEY
               ORGANIZATION IS INDEXED ACCESS MODE IS DYNAMIC
               RECORD KEY IS V-KEY FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  PLAIN.
       01  P-REC.
           05  P-KEY       PIC X(6).
           05  P-TEXT      PIC X(14).
       FD  VARKEY RECORD IS VARYING IN SIZE FROM 10 TO 34 CHARACTERS
           DEPENDING ON V-SIZE.
       01  V-REC.
           05  V-KEY       PIC X(4).
           05  V-TEXT      PIC X(30).
       WORKING-STORAGE SECTION.
       01  FS              PIC XX.
       01  V-SIZE          PIC 9(4).
       PROCEDURE DIVISION.
       MAIN-LINE.
           OPEN OUTPUT PLAIN
           DISPLAY 'open output ' FS
           MOVE 'K00010first' TO P-REC
           WRITE P-REC
           DISPLAY 'write 10 ' FS
           MOVE 'K00030third' TO P-REC
           WRITE P-REC
           DISPLAY 'write 30 ' FS
           MOVE 'K00020second' TO P-REC
           WRITE P-REC
           DISPLAY 'write 20 ' FS
           MOVE 'K00030again' TO P-REC
           WRITE P-REC
           DISPLAY 'write 30 again ' FS
           MOVE 'K00040fourth' TO P-REC
           WRITE P-REC
           DISPLAY 'write 40 ' FS
           CLOSE PLAIN
           OPEN I-O PLAIN
           DISPLAY 'open i-o ' FS
           REWRITE P-REC
           DISPLAY 'rewrite before read ' FS
           DELETE PLAIN
           DISPLAY 'delete before read ' FS
           MOVE 'K00050fifth' TO P-REC
           WRITE P-REC
           DISPLAY 'write in i-o ' FS
           PERFORM NEXT-RECORD
           MOVE 'changed' TO P-TEXT
           REWRITE P-REC
           DISPLAY 'rewrite ' FS
           REWRITE P-REC
           DISPLAY 'rewrite twice ' FS
           PERFORM NEXT-RECORD
           MOVE 'K00035' TO P-KEY
           REWRITE P-REC
           DISPLAY 'rewrite of another key ' FS
           PERFORM NEXT-RECORD
           DELETE PLAIN
           DISPLAY 'delete ' FS
           DELETE PLAIN
           DISPLAY 'delete twice ' FS
           PERFORM NEXT-RECORD
           REWRITE P-REC
           DISPLAY 'rewrite at end ' FS
           PERFORM NEXT-RECORD
           MOVE 'K00020' TO P-KEY
           START PLAIN KEY IS GREATER THAN P-KEY
           DISPLAY 'start > ' FS
           PERFORM NEXT-RECORD
           MOVE 'K0001' TO P-KEY
           START PLAIN KEY IS NOT LESS THAN P-KEY
           DISPLAY 'start >= ' FS
           PERFORM NEXT-RECORD
           CLOSE PLAIN
           OPEN EXTEND PLAIN
           DISPLAY 'open extend ' FS
           MOVE 'K00005before' TO P-REC
           WRITE P-REC
           DISPLAY 'extend 5 ' FS
           MOVE 'K00030again' TO P-REC
           WRITE P-REC
           DISPLAY 'extend 30 ' FS
           MOVE 'K00060sixth' TO P-REC
           WRITE P-REC
           DISPLAY 'extend 60 ' FS
           READ PLAIN
           DISPLAY 'read in extend ' FS
           CLOSE PLAIN
           OPEN INPUT PLAIN
           PERFORM NEXT-RECORD 4 TIMES
           CLOSE PLAIN
           OPEN OUTPUT VARKEY
           DISPLAY 'open variable ' FS
           MOVE 'V001abcdefghijklmnopqrstuvwxyz' TO V-REC
           MOVE 10 TO V-SIZE
           WRITE V-REC
           DISPLAY 'write of 10 ' FS
           MOVE 'V002' TO V-KEY
           MOVE 34 TO V-SIZE
           WRITE V-REC
           DISPLAY 'write of 34 ' FS
           MOVE 'V003' TO V-KEY
           MOVE 9 TO V-SIZE
           WRITE V-REC
           DISPLAY 'write of 9 ' FS
           MOVE 35 TO V-SIZE
           WRITE V-REC
           DISPLAY 'write of 35 ' FS
           CLOSE VARKEY
           OPEN I-O VARKEY
           MOVE 0 TO V-SIZE
           READ VARKEY NEXT
           DISPLAY 'read ' FS ' ' V-SIZE ' ' V-KEY
           READ VARKEY NEXT
           DISPLAY 'read ' FS ' ' V-SIZE ' ' V-KEY
           MOVE 20 TO V-SIZE
           REWRITE V-REC
           DISPLAY 'rewrite of 20 ' FS
           MOVE 40 TO V-SIZE
           REWRITE V-REC
           DISPLAY 'rewrite of 40 ' FS
           MOVE 'V002' TO V-KEY
           READ VARKEY
           DISPLAY 'read ' FS ' ' V-SIZE ' ' V-KEY
           CLOSE VARKEY
           GOBACK.
       NEXT-RECORD.
           MOVE SPACES TO P-REC
           READ PLAIN NEXT RECORD
           IF FS(1:1) = '0'
               DISPLAY 'next ' FS ' ' P-KEY ' ' P-TEXT
           ELSE
               DISPLAY 'next ' FS
           END-IF.
