      * What OPEN and CLOSE answer: files that are not there, optional
      * ones, locked ones, those of other attributes, full disks.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. OPENS.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT NODD ASSIGN TO NODD FILE STATUS IS FS.
           SELECT OPTIONAL OPTNODD ASSIGN TO NODD FILE STATUS IS FS.
           SELECT MISSING ASSIGN TO MISSING FILE STATUS IS FS.
           SELECT OPTIONAL OPTMISS ASSIGN TO MISSING FILE STATUS IS FS.
           SELECT OPTIONAL OPTKEYED ASSIGN TO NODD
               ORGANIZATION IS INDEXED ACCESS MODE IS DYNAMIC
               RECORD KEY IS OK-KEY FILE STATUS IS FS.
           SELECT OTHERKEY ASSIGN TO PLAIN
               ORGANIZATION IS INDEXED RECORD KEY IS OT-KEY
               FILE STATUS IS FS.
           SELECT OTHERLEN ASSIGN TO PLAIN
               ORGANIZATION IS INDEXED RECORD KEY IS OL-KEY
               FILE STATUS IS FS.
           SELECT OTHERORG ASSIGN TO PLAIN
               ORGANIZATION IS RELATIVE FILE STATUS IS FS.
           SELECT NOTAKEY ASSIGN TO PLAIN
               ORGANIZATION IS INDEXED RECORD KEY IS NK-KEY
               ALTERNATE RECORD KEY IS NK-ALT
               FILE STATUS IS FS.
           SELECT KEYFILE ASSIGN TO TEXTFILE
               ORGANIZATION IS INDEXED RECORD KEY IS KF-KEY
               FILE STATUS IS FS.
           SELECT FOLDER ASSIGN TO FOLDER FILE STATUS IS FS.
           SELECT LINES-IO ASSIGN TO TEXTFILE
               ORGANIZATION IS LINE SEQUENTIAL FILE STATUS IS FS.
           SELECT TAPEFIL ASSIGN TO TAPEFIL FILE STATUS IS FS.
           SELECT EMPTY-IN ASSIGN TO NOWHERE FILE STATUS IS FS.
           SELECT FULL-DISK ASSIGN TO FULLDISK FILE STATUS IS FS.
           SELECT FILLED ASSIGN TO FILLED
               ORGANIZATION IS INDEXED RECORD KEY IS FI-KEY
               FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  NODD.
       01  ND-REC          PIC X(8).
       FD  OPTNODD.
       01  ON-REC          PIC X(8).
       FD  MISSING.
       01  MI-REC          PIC X(8).
       FD  OPTMISS.
       01  OM-REC          PIC X(8).
       FD  OPTKEYED.
       01  OK-REC.
           05  OK-KEY      PIC X(4).
           05  FILLER      PIC X(4).
       FD  OTHERKEY.
       01  OT-REC.
           05  OT-KEY      PIC X(5).
           05  FILLER      PIC X(15).
       FD  OTHERLEN.
       01  OL-REC.
           05  OL-KEY      PIC X(6).
           05  FILLER      PIC X(15).
       FD  OTHERORG.
       01  OO-REC          PIC X(20).
       FD  NOTAKEY.
       01  NK-REC.
           05  NK-KEY      PIC X(6).
           05  NK-ALT      PIC X(4).
           05  FILLER      PIC X(10).
       FD  KEYFILE.
       01  KF-REC.
           05  KF-KEY      PIC X(6).
           05  FILLER      PIC X(14).
       FD  FOLDER.
       01  FO-REC          PIC X(8).
       FD  LINES-IO.
       01  LI-REC          PIC X(8).
       FD  TAPEFIL.
       01  TA-REC          PIC X(8).
       FD  EMPTY-IN.
       01  NO-REC          PIC X(8).
       FD  FULL-DISK.
       01  FU-REC          PIC X(8000).
       FD  FILLED.
       01  FI-REC.
           05  FI-KEY      PIC X(6).
           05  FILLER      PIC X(14).
       WORKING-STORAGE SECTION.
       01  FS              PIC XX.
       PROCEDURE DIVISION.
       MAIN-LINE.
           OPEN INPUT NODD
           DISPLAY 'no DD, input ' FS
           OPEN I-O NODD
           DISPLAY 'no DD, i-o ' FS
           OPEN EXTEND NODD
           DISPLAY 'no DD, extend ' FS
           OPEN OUTPUT NODD
           DISPLAY 'no DD, output ' FS
           OPEN INPUT OPTNODD
           DISPLAY 'no DD, optional ' FS
           READ OPTNODD
           DISPLAY 'read ' FS
           READ OPTNODD
           DISPLAY 'read behind the end ' FS
           CLOSE OPTNODD
           DISPLAY 'close ' FS
           OPEN EXTEND OPTNODD
           DISPLAY 'no DD, optional, extend ' FS
           OPEN INPUT OPTKEYED
           DISPLAY 'no DD, optional, indexed ' FS
           MOVE 'KEY1' TO OK-KEY
           READ OPTKEYED
           DISPLAY 'read by key ' FS
           START OPTKEYED KEY IS EQUAL TO OK-KEY
           DISPLAY 'start ' FS
           READ OPTKEYED NEXT
           DISPLAY 'next ' FS
           CLOSE OPTKEYED
           OPEN INPUT OPTKEYED
           READ OPTKEYED NEXT
           DISPLAY 'next ' FS
           CLOSE OPTKEYED
           OPEN INPUT MISSING
           DISPLAY 'missing, input ' FS
           OPEN I-O MISSING
           DISPLAY 'missing, i-o ' FS
           OPEN EXTEND MISSING
           DISPLAY 'missing, extend ' FS
           OPEN INPUT OPTMISS
           DISPLAY 'missing, optional ' FS
           CLOSE OPTMISS
           OPEN EXTEND OPTMISS
           DISPLAY 'missing, optional, extend ' FS
           MOVE 'made' TO OM-REC
           WRITE OM-REC
           DISPLAY 'write ' FS
           CLOSE OPTMISS
           OPEN INPUT MISSING
           DISPLAY 'no more missing ' FS
           READ MISSING
           DISPLAY 'read ' FS ' ' MI-REC
           CLOSE MISSING
           OPEN INPUT OTHERKEY
           DISPLAY 'another key ' FS
           OPEN INPUT OTHERLEN
           DISPLAY 'another length ' FS
           OPEN INPUT OTHERORG
           DISPLAY 'another organization ' FS
           OPEN INPUT NOTAKEY
           DISPLAY 'no such alternate key ' FS
           OPEN INPUT KEYFILE
           DISPLAY 'indexed, and a text ' FS
           OPEN INPUT FOLDER
           DISPLAY 'folder, input ' FS
           OPEN OUTPUT FOLDER
           DISPLAY 'folder, output ' FS
           OPEN OUTPUT TAPEFIL
           DISPLAY 'open ' FS
           MOVE 'reel' TO TA-REC
           WRITE TA-REC
           CLOSE TAPEFIL REEL
           DISPLAY 'close reel ' FS
           WRITE TA-REC
           DISPLAY 'write ' FS
           CLOSE TAPEFIL WITH NO REWIND
           DISPLAY 'close with no rewind ' FS
           WRITE TA-REC
           DISPLAY 'write ' FS
           OPEN INPUT TAPEFIL
           READ TAPEFIL
           DISPLAY 'read ' FS ' ' TA-REC
           CLOSE TAPEFIL WITH LOCK
           DISPLAY 'close with lock ' FS
           OPEN INPUT TAPEFIL
           DISPLAY 'open a locked one ' FS
           CLOSE TAPEFIL
           DISPLAY 'close a locked one ' FS
           OPEN OUTPUT EMPTY-IN
           DISPLAY 'dummy, output ' FS
           MOVE 'gone' TO NO-REC
           WRITE NO-REC
           DISPLAY 'write ' FS
           CLOSE EMPTY-IN
           OPEN INPUT EMPTY-IN
           DISPLAY 'dummy, input ' FS
           READ EMPTY-IN
           DISPLAY 'read ' FS
           CLOSE EMPTY-IN
           OPEN OUTPUT FULL-DISK
           DISPLAY 'full disk ' FS
           MOVE ALL 'X' TO FU-REC
           PERFORM UNTIL FS NOT = '00'
               WRITE FU-REC
           END-PERFORM
           DISPLAY 'write ' FS
           CLOSE FULL-DISK
           OPEN OUTPUT FILLED
           DISPLAY 'empty, output ' FS
           MOVE 'K00001' TO FI-REC
           WRITE FI-REC
           CLOSE FILLED
           OPEN OUTPUT FILLED
           DISPLAY 'reused, output ' FS
           CLOSE FILLED
           OPEN INPUT FILLED
           READ FILLED
           DISPLAY 'emptied, read ' FS
           CLOSE FILLED
           GOBACK.
