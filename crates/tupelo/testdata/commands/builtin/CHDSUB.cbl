      * Tries to delete its current channel; adds a container if it is
      * refused as the manual says.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHDSUB.
       PROCEDURE DIVISION.
           EXEC CICS DELETE CHANNEL('GIVEN') NOHANDLE END-EXEC
           IF EIBRESP = DFHRESP(CHANNELERR) AND EIBRESP2 = 4
               EXEC CICS PUT CONTAINER('B') FROM('1') FLENGTH(1)
                   NOHANDLE END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
