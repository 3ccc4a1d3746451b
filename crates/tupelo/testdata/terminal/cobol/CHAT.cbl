       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHAT.
      * Waits for its user within one task, and asks for a map that
      * does not exist when it is told to.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  REPLY                   PIC X(40) VALUE SPACES.
       COPY TELLSET.
       PROCEDURE DIVISION.
           EXEC CICS HANDLE AID PF3(LEAVE-IT) END-EXEC
           EXEC CICS SEND MAP('MENU') MAPSET('TELLSET') MAPONLY ERASE
           END-EXEC
           EXEC CICS RECEIVE MAP('MENU') MAPSET('TELLSET') END-EXEC
           IF OPTIONI = '9'
               EXEC CICS SEND MAP('NOMAP') MAPSET('TELLSET') MAPONLY
               END-EXEC
           END-IF
           STRING 'You chose ' OPTIONI DELIMITED BY SIZE INTO REPLY
           EXEC CICS SEND TEXT FROM(REPLY) ERASE END-EXEC
           EXEC CICS RETURN END-EXEC.
       LEAVE-IT.
           EXEC CICS SEND CONTROL ERASE FREEKB END-EXEC
           EXEC CICS RETURN END-EXEC.
