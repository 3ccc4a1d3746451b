      * An ENTRY is called before and after its program, by a literal and
      * by a name in an item; it has the storage of its program.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ENTRYM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  N                       PIC 9(3) VALUE 1.
       01  TASK-NUMBER             PIC 9(7) VALUE 0.
       01  WHO                     PIC X(8) VALUE 'ENTADD'.
       PROCEDURE DIVISION.
           CALL 'ENTADD' USING N
           DISPLAY 'ONCE ' N
           CALL 'ENTRYS' USING N
           CALL WHO USING N
           DISPLAY 'AGAIN ' N
           CALL 'ENTTASK' USING TASK-NUMBER
           IF TASK-NUMBER = EIBTASKN DISPLAY 'TASK' END-IF
           CALL 'ENTLAST' USING N
           DISPLAY 'LAST ' N
           GOBACK.
